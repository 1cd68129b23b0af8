/**
 * A request that somebody kept in a file: either as HTTP has it (`POST /v1/route`, with or without version and header lines, an empty
 * line, the body), or the JSON body alone, which then was sent to `POST /v1/<op>`, the operation that the receipt names.
 */
export interface SavedRequest {
  readonly method: string;
  /** Without the query: `req` binds the path alone. */
  readonly path: string;
  readonly body: unknown;
}

const REQUEST_LINE = /^([A-Z]+) (\/[^ ?]*)(?:\?[^ ]*)?(?: HTTP\/\d(?:\.\d)?)?$/;

/** Null when it is neither. */
export function readRequest(text: string, op: string): SavedRequest | null {
  const alone = parse(text);
  if (alone !== undefined) return { method: "POST", path: `/v1/${op}`, body: alone };
  const [head, ...rest] = text.split(/\r?\n\r?\n/);
  const [, method, path] = REQUEST_LINE.exec(head.split(/\r?\n/)[0].trim()) ?? [];
  const body = parse(rest.join("\n\n"));
  if (method === undefined || path === undefined || body === undefined) return null;
  return { method, path, body };
}

/** Undefined for what is not JSON, which can never be a body. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
