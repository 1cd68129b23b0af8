/** The request as a program. Its credential is always an environment variable, never the token itself. */

export const SNIPPET_LANGUAGES = ["curl", "JavaScript", "Python"] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number];

export interface SnippetRequest {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Header, text before the credential, environment variable; null for a request without one. */
  readonly credential: { readonly header: string; readonly scheme: string; readonly variable: string } | null;
}

export function snippetOf(language: SnippetLanguage, request: SnippetRequest): string {
  return { curl: curlOf, JavaScript: javascriptOf, Python: pythonOf }[language](request);
}

function curlOf({ url, body, credential }: SnippetRequest): string {
  const json = JSON.stringify(body, null, Object.keys(body).length > 1 ? 2 : 0);
  return [
    `curl ${url}`,
    // Double quotes: the shell replaces the variable.
    ...(credential === null ? [] : [`  -H "${credential.header}: ${credential.scheme}$${credential.variable}"`]),
    `  -H 'Content-Type: application/json'`,
    // In single quotes, only the closing quote is special.
    `  -d '${json.replaceAll("'", String.raw`'\''`)}'`,
  ].join(" \\\n");
}

function javascriptOf({ url, body, credential }: SnippetRequest): string {
  const { header = "", scheme = "", variable = "" } = credential ?? {};
  const value = scheme === "" ? `process.env.${variable}` : `\`${scheme}\${process.env.${variable}}\``;
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: "POST",
  headers: {
    "Content-Type": "application/json",${credential === null ? "" : `\n    ${JSON.stringify(header)}: ${value},`}
  },
  body: JSON.stringify(${literalOf(body, JAVASCRIPT, 1)}),
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());`;
}

function pythonOf({ url, body, credential }: SnippetRequest): string {
  const { header = "", scheme = "", variable = "" } = credential ?? {};
  const read = `os.environ[${JSON.stringify(variable)}]`;
  const value = scheme === "" ? read : `${JSON.stringify(scheme)} + ${read}`;
  return `import json
${credential === null ? "" : "import os\n"}from urllib.request import Request, urlopen

body = ${literalOf(body, PYTHON, 0)}
headers = {
    "Content-Type": "application/json",${credential === null ? "" : `\n    ${JSON.stringify(header)}: ${value},`}
}
request = Request(${JSON.stringify(url)}, json.dumps(body).encode(), headers)
with urlopen(request) as response:
    print(json.load(response))`;
}

interface Syntax {
  readonly indent: string;
  readonly null: string;
  readonly true: string;
  readonly false: string;
  key(name: string): string;
}

/** Both languages read a JSON string as the same text. */
const PYTHON: Syntax = {
  indent: "    ",
  null: "None",
  true: "True",
  false: "False",
  key: (name) => JSON.stringify(name),
};
const JAVASCRIPT: Syntax = {
  indent: "  ",
  null: "null",
  true: "true",
  false: "false",
  // Without brackets, this key would set the prototype.
  key: (name) => (name === "__proto__" ? '["__proto__"]' : JSON.stringify(name)),
};

function literalOf(value: unknown, syntax: Syntax, depth: number): string {
  if (value === null || value === true || value === false) return syntax[`${value}`];
  if (typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((item) => literalOf(item, syntax, depth + 1))
    : Object.entries(value).map(([name, item]) => `${syntax.key(name)}: ${literalOf(item, syntax, depth + 1)}`);
  const [open, close] = isList ? "[]" : "{}";
  if (members.length === 0) return `${open}${close}`;
  const line = `\n${syntax.indent.repeat(depth + 1)}`;
  return `${open}${line}${members.join(`,${line}`)},\n${syntax.indent.repeat(depth)}${close}`;
}
