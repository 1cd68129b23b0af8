/**
 * A saved request: either HTTP text (`POST /v1/route`, optional version and headers, an empty line, the body), or only
 * the JSON body. A body alone is treated as sent to `POST /v1/<op>`, with the operation of the receipt.
 */
export interface SavedRequest {
  readonly method: string;
  /** Without the query: `req` covers the path only. */
  readonly path: string;
  readonly body: unknown;
}

const REQUEST_LINE = /^([A-Z]+) (\/[^ ?]*)(?:\?[^ ]*)?(?: HTTP\/\d(?:\.\d)?)?$/;

export function readRequest(text: string, op: string): SavedRequest | null {
  const alone = parse(text);
  if (alone !== undefined) return { method: "POST", path: `/v1/${op}`, body: alone };
  const [head, ...rest] = text.split(/\r?\n\r?\n/);
  const [, method, path] = REQUEST_LINE.exec(head.split(/\r?\n/)[0].trim()) ?? [];
  const body = parse(rest.join("\n\n"));
  if (method === undefined || path === undefined || body === undefined) return null;
  return { method, path, body };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
