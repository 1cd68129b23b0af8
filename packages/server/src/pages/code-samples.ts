/**
 * Shows a request as code in five languages. Credentials and IDs are environment variables, so that the code contains
 * no secret.
 */
import { HTTPSnippet, type HarRequest } from "@readme/httpsnippet";
import type { RequestExample } from "./request-example.ts";

export interface CodeSample {
  /** A proper noun, so it is not translated. */
  readonly language: string;
  readonly code: string;
}

interface Target {
  readonly language: string;
  readonly id: Parameters<HTTPSnippet["convert"]>[0];
  readonly client: string;
  /** Matches a string literal in the generated code. */
  readonly literal: RegExp;
  /** Builds an expression from the parts of the literal; every second part is the name of a variable. */
  readonly expression: (parts: readonly string[]) => string;
  /** The import that the expression needs: the text to replace, and its replacement. */
  readonly importing?: readonly [string, string];
}

const DOUBLE_QUOTED = /"((?:[^"\\\n]|\\.)*)"/g;
const SINGLE_QUOTED = /'((?:[^'\\\n]|\\.)*)'/g;
/** The library quotes a URL only if the shell would interpret it. */
const SHELL_WORD = /'([^'\n]*)'|(?<=--url )([^\s']+)/g;

const TARGETS: readonly Target[] = [
  {
    language: "curl",
    id: "shell",
    client: "curl",
    literal: SHELL_WORD,
    expression: (parts) => `"${interpolated(parts, (name) => `$${name}`)}"`,
  },
  {
    language: "JavaScript",
    id: "javascript",
    client: "fetch",
    literal: SINGLE_QUOTED,
    expression: (parts) => `\`${interpolated(parts, (name) => `\${process.env.${name}}`)}\``,
  },
  {
    language: "Python",
    id: "python",
    client: "requests",
    literal: DOUBLE_QUOTED,
    expression: (parts) => `f"${interpolated(parts, (name) => `{os.environ['${name}']}`)}"`,
    importing: ["import requests", "import os\nimport requests"],
  },
  {
    language: "PHP",
    id: "php",
    client: "curl",
    literal: DOUBLE_QUOTED,
    expression: (parts) => joined(parts, { operator: " . ", read: (name) => `getenv("${name}")` }),
  },
  {
    language: "Go",
    id: "go",
    client: "native",
    literal: DOUBLE_QUOTED,
    expression: (parts) => joined(parts, { operator: " + ", read: (name) => `os.Getenv("${name}")` }),
    importing: ['\t"io"\n', '\t"io"\n\t"os"\n'],
  },
];

/** @param origin of the service, without a trailing slash */
export function codeSamples(origin: string, example: RequestExample): readonly CodeSample[] {
  const snippet = new HTTPSnippet(harRequest(origin, example));
  return TARGETS.map((target) => ({
    language: target.language,
    code: withVariables(String(snippet.convert(target.id, target.client)[0]), target),
  }));
}

function harRequest(origin: string, { method, path, body, carrier }: RequestExample): HarRequest {
  const json = body === undefined ? undefined : { mimeType: "application/json", text: JSON.stringify(body) };
  return {
    method,
    url: origin + path.replaceAll(/\{(\w+)\}|\$([A-Z_]+)/g, (_whole, id = "", name = id) => mark(shellName(name))),
    headers: [
      ...(carrier === null ? [] : [{ name: carrier.header, value: carrier.prefix + mark(carrier.variable) }]),
      ...(json === undefined ? [] : [{ name: "Content-Type", value: json.mimeType }]),
    ],
    // The library's default for a request without a body.
    postData: json ?? { mimeType: "application/octet-stream" },
    httpVersion: "HTTP/1.1",
    queryString: [],
    cookies: [],
    headersSize: -1,
    bodySize: -1,
  };
}

/** Placeholder for a variable, because the library supports values only. No language's quoting changes it. */
const mark = (name: string) => `__${name}__`;
const MARKED = /__([A-Z][A-Z_]*?)__/;

function withVariables(code: string, { literal, expression, importing }: Target): string {
  if (!MARKED.test(code)) return code;
  const filled = code.replaceAll(literal, (whole, quoted?: string, bare?: string) => {
    const text = typeof bare === "string" ? bare : (quoted ?? "");
    return MARKED.test(text) ? expression(text.split(MARKED)) : whole;
  });
  return importing === undefined ? filled : filled.replace(...importing);
}

function interpolated(parts: readonly string[], read: (name: string) => string): string {
  return parts.map((part, index) => (index % 2 === 1 ? read(part) : part)).join("");
}

function joined(
  parts: readonly string[],
  { operator, read }: { readonly operator: string; readonly read: (name: string) => string },
): string {
  const expressions = parts.map((part, index) => {
    if (index % 2 === 1) return read(part);
    return part === "" ? "" : `"${part}"`;
  });
  return expressions.filter((part) => part !== "").join(operator);
}

function shellName(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}
