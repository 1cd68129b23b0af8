/**
 * Finds secrets in text that a change adds: known values, token patterns, context-dependent patterns, and the rules of
 * secretlint. Findings contain the kind and location, never the value. The rules do not access files or the network.
 */
import { lintSource } from "@secretlint/core";
import { rules as presetRules } from "@secretlint/secretlint-rule-preset-recommend";
import type { Redactor } from "./redactor.ts";
import { CONTEXT_SHAPES } from "./secret-patterns.ts";

export interface AddedText {
  readonly path: string;
  readonly text: string;
  /** The line number in the file of each line of `text`; empty if the text is not from a file. */
  readonly lines: readonly number[];
}

export interface SecretLocation {
  readonly path: string;
  readonly line: number | null;
  readonly kind: string;
}

/** Changes have their own size limits. This one prevents a large change from blocking others. */
const LINTED_CHARACTERS_MAX = 16 * 1024 * 1024;
const PREFIX = "@secretlint/secretlint-rule-";

/** Excludes comments such as `secretlint-disable`, which would let the author disable the scan. */
const RULES = presetRules
  .filter(({ meta }) => meta.id !== `${PREFIX}filter-comments`)
  .map((rule) => ({ id: rule.meta.id, rule }));

export async function findSecrets(redactor: Redactor, texts: readonly AddedText[]): Promise<readonly SecretLocation[]> {
  const locations: SecretLocation[] = [];
  let left = LINTED_CHARACTERS_MAX;
  for (const added of texts) {
    const { text } = added;
    const isLinted = text.length <= left;
    if (isLinted) left -= text.length;
    const hits = [...redactor.locate(text), ...inContext(text), ...(isLinted ? await lint(text) : [])];
    locations.push(...locationsOf(added, hits));
  }
  return locations;
}

/** `"src/a.ts":3 holds stripe_key`. */
export function formatSecretLocation({ path, line, kind }: SecretLocation): string {
  return `${JSON.stringify(path)}${line === null ? "" : `:${line}`} holds ${kind}`;
}

interface Hit {
  readonly name: string;
  readonly index: number;
}

function inContext(text: string): readonly Hit[] {
  return Object.entries(CONTEXT_SHAPES).flatMap(([name, shape]) =>
    Array.from(text.matchAll(shape), ({ index }) => ({ name, index })),
  );
}

async function lint(text: string): Promise<readonly Hit[]> {
  const source = { content: text, filePath: "text", ext: "", contentType: "text" } as const;
  const { messages } = await lintSource({ source, options: { config: { rules: RULES }, noPhysicFilePath: true } });
  return messages
    .filter(({ ruleId, range: [from, to] }) => !URL_RULES.has(ruleId) || isRealUrl(text.slice(from, to)))
    .map(({ ruleId, range: [index] }) => ({ name: ruleId.replace(PREFIX, "").replaceAll("-", "_"), index }));
}

const URL_RULES: ReadonlySet<string> = new Set([`${PREFIX}basicauth`, `${PREFIX}database-connection-string`]);
const EXAMPLE_HOST = /(?:^|\.)(?:example(?:\.(?:com|org|net|edu))?|test|invalid|localhost)$|^127\./;
const EXAMPLE_PASSWORD =
  /^(?:(?:my|your|some|the|db)?[-_]?(?:pass(?:word|wd)?|pwd|secret|pw|token|user(?:name)?|postgres|root|admin|test|changeme)|[x*.]+|[<{$%[].*)$/i;

/**
 * False for URLs with harmless passwords, which are common in documentation and local setups: example hosts, hosts
 * without a dot, placeholder passwords.
 */
function isRealUrl(text: string): boolean {
  const url = /:\/\/[^:@/\s]*:([^@\s]*)@(\[[^\]]*\]|[^:/?#\s"'`,)]*)/.exec(text);
  if (url === null) return true;
  const [, password = "", host = ""] = url;
  const name = host.toLowerCase();
  const isLocal = name.startsWith("[") ? name === "[::1]" : !name.includes(".");
  return !isLocal && !EXAMPLE_HOST.test(name) && !EXAMPLE_PASSWORD.test(password);
}

function locationsOf({ path, text, lines }: AddedText, hits: readonly Hit[]): readonly SecretLocation[] {
  const ordered = hits.toSorted((a, b) => a.index - b.index);
  const locations = new Map<number, SecretLocation>();
  let row = 0;
  let rowEnd = nextEnd(text, 0);
  for (const { name, index } of ordered) {
    while (index > rowEnd) {
      row++;
      rowEnd = nextEnd(text, rowEnd + 1);
    }
    if (!locations.has(row)) locations.set(row, { path, line: lines[row] ?? null, kind: name });
  }
  return [...locations.values()];
}

function nextEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}
