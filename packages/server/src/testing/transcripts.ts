/** Transcripts of the documentation: in blocks of the language `console`, commands after `$ `, each followed by its output. */
import { parseArgs } from "node:util";

export interface Transcript {
  readonly command: string;
  /** What the command prints; `…` stands for omitted text. */
  readonly output: string;
}

export interface CurlRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `@name` is the content of a file, as in curl. */
  readonly body: string | null;
  readonly includesHead: boolean;
}

const BLOCK = /^```console\n(?<text>[\s\S]*?)^```$/gm;
/** A command continues after a backslash, and inside of single quotes. */
const COMMAND = /^\$ (?<command>(?:'[^']*'|\\\n|[^'\n])*)\n(?<output>(?:(?!\$ ).*\n)*)/gm;
const WORD = /'(?<raw>[^']*)'|"(?<quoted>[^"]*)"|(?<plain>[^\s'"\\]+)/g;
const CURL_OPTIONS = {
  silent: { type: "boolean", short: "s" },
  include: { type: "boolean", short: "i" },
  request: { type: "string", short: "X" },
  header: { type: "string", short: "H", multiple: true },
  data: { type: "string", short: "d" },
  "data-binary": { type: "string" },
  output: { type: "string", short: "o" },
} as const;
/** IDs, times and hashes differ from run to run. */
const VARYING = /\b[a-z]{2,4}_[0-9a-z]{26}\b|\b\d{4}-\d\d-\d\dT[\d:.]+Z|(?<![\w-])[\w-]{43}(?![\w-])/g;

export function transcriptsIn(document: string): Transcript[] {
  return Array.from(document.matchAll(BLOCK), ({ groups = {} }) =>
    Array.from(groups["text"].matchAll(COMMAND), ({ groups: { command = "", output = "" } = {} }) => ({
      command,
      output,
    })),
  ).flat();
}

/** Variables of the shell, such as `$TOKEN`, are replaced by `values`. */
export function readCurl(command: string, values: Readonly<Record<string, string>> = {}): CurlRequest {
  const expand = (text: string) => text.replaceAll(/\$(\w+)/g, (_, name: string) => values[name] ?? "");
  const [, ...args] = Array.from(
    command.matchAll(WORD),
    ({ groups: { raw, quoted, plain } = {} }) => raw ?? expand(quoted ?? plain ?? ""),
  );
  const { values: options, positionals } = parseArgs({ args, options: CURL_OPTIONS, allowPositionals: true });
  const [address = ""] = positionals;
  const { pathname, search } = new URL(address.startsWith("http") ? address : `http://${address}`);
  const body = options.data ?? options["data-binary"] ?? null;
  return {
    method: methodOf(options.request ?? (body === null ? "GET" : "POST")),
    path: pathname + search,
    headers: Object.fromEntries((options.header ?? []).map((line) => line.split(": ", 2))),
    body,
    includesHead: options.include ?? false,
  };
}

function methodOf(name: string): CurlRequest["method"] {
  if (name === "GET" || name === "POST" || name === "PATCH" || name === "DELETE") return name;
  throw new Error(`Unexpected method in a transcript: ${name}`);
}

/** The first part of `expected` that `actual` lacks, or null. IDs, times, hashes, line breaks and indentation may differ. */
export function missingPart(expected: string, actual: string): string | null {
  let rest = onOneLine(actual);
  for (const part of onOneLine(expected.replaceAll(VARYING, "…")).split("…")) {
    const at = rest.indexOf(part);
    if (at < 0) return part;
    rest = rest.slice(at + part.length);
  }
  return null;
}

function onOneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, "");
}
