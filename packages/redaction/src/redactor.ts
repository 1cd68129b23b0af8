/**
 * Redacts known secrets in all their forms, and texts that look like tokens. Stream output does not depend on chunk
 * boundaries: text is held back until no later text can complete a secret.
 */
import { encodingsOf } from "./known-secrets.ts";
import { createPrefilter } from "./prefilter.ts";
import { LONGEST_BEGINNING, SECRET_PATTERNS } from "./secret-patterns.ts";

export interface Redactor {
  text(text: string): string;
  clean(text: string): { readonly text: string; readonly found: number };
  /** Cleans consecutive texts, including a secret that is split between two of them. */
  cleanAll(texts: readonly string[]): { readonly texts: readonly string[]; readonly found: number };
  /** Names of the secrets in a text, without duplicates. */
  find(text: string): readonly string[];
  /** Name and start index of each secret in a text. */
  locate(text: string): readonly { readonly name: string; readonly index: number }[];
  stream(): RedactedStream;
}

export interface RedactedStream {
  /** Returns the text that is safe to emit; later calls return the rest. */
  push(text: string): string;
  end(): string;
}

interface Finding {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** Maximum text held back for a run of token symbols without a break. */
const BUFFER_CHARACTERS_MAX = 65_536;
const BREAK = /[^\w.\-/+=%]/;

const SHAPE_PATTERNS = Object.entries(SECRET_PATTERNS).map(
  ([name, { source }]) => `(?<![A-Za-z0-9])(?<${name}>${source})`,
);
const ANY_SHAPE = new RegExp(SHAPE_PATTERNS.join("|"));

export function createRedactor(secrets: ReadonlyMap<string, string>): Redactor {
  const nameOf = new Map(
    [...secrets].flatMap(([name, value]) => encodingsOf(value).map((form) => [form, name] as const)),
  );
  const forms = [...nameOf.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp([...forms.map((form) => literal(form)), ...SHAPE_PATTERNS].join("|"), "g");
  const overlapLength = Math.max(LONGEST_BEGINNING, forms[0]?.length ?? 0);
  const mayHold = createPrefilter(forms, ANY_SHAPE);

  return {
    text: (text) => clean(text).text,
    clean,
    cleanAll,
    find,
    locate,
    stream: () => createStream(clean, safeCut),
  };

  function findings(text: string): Finding[] {
    if (!mayHold(text)) return [];
    return Array.from(text.matchAll(pattern), (match) => ({
      from: match.index,
      to: match.index + match[0].length,
      name: nameOf.get(match[0]) ?? shapeOf(match.groups),
    }));
  }

  function clean(text: string): { readonly text: string; readonly found: number } {
    const found = findings(text);
    if (found.length === 0) return { text, found: 0 };
    let output = "";
    let at = 0;
    for (const { from, to, name } of found) {
      output += `${text.slice(at, from)}[redacted:${name}]`;
      at = to;
    }
    return { text: output + text.slice(at), found: found.length };
  }

  function cleanAll(texts: readonly string[]): { readonly texts: readonly string[]; readonly found: number } {
    const whole = texts.length > 1 ? cutAcross(texts, findings(texts.join(""))) : { texts, found: 0 };
    const cleaned = whole.texts.map((text) => clean(text));
    return {
      texts: cleaned.map(({ text }) => text),
      found: cleaned.reduce((sum, result) => sum + result.found, whole.found),
    };
  }

  function find(text: string): readonly string[] {
    return [...new Set(findings(text).map(({ name }) => name))];
  }

  function locate(text: string): readonly { readonly name: string; readonly index: number }[] {
    return findings(text).map(({ name, from }) => ({ name, index: from }));
  }

  /**
   * Returns the last line end, because no form or pattern prefix spans lines. In a long line, returns the last break
   * far enough from the end. Never returns a position inside a match.
   */
  function safeCut(text: string): number {
    let until = text.length - overlapLength;
    while (until > 0 && !BREAK.test(text[until - 1])) until--;
    until = Math.max(until, text.lastIndexOf("\n") + 1);
    if (until <= 0) return 0;
    const across = findings(text).find(({ from, to }) => from < until && (to > until || to === text.length));
    return across?.from ?? until;
  }
}

/** Handles only matches across a boundary; matches within one text are found more reliably on their own. */
function cutAcross(
  texts: readonly string[],
  all: readonly Finding[],
): { readonly texts: readonly string[]; readonly found: number } {
  if (all.length === 0) return { texts, found: 0 };
  let begin = 0;
  let found = 0;
  const cut = texts.map((text) => {
    const end = begin + text.length;
    let output = "";
    let at = begin;
    for (const { from, to, name } of all) {
      const isInside = from >= begin && to <= end;
      if (isInside || to <= begin || from >= end) continue;
      const isItsBeginning = from >= begin;
      if (isItsBeginning) found++;
      output += text.slice(at - begin, Math.max(from, begin) - begin) + (isItsBeginning ? `[redacted:${name}]` : "");
      at = Math.min(to, end);
    }
    output += text.slice(at - begin);
    begin = end;
    return output;
  });
  return { texts: cut, found };
}

function createStream(clean: Redactor["clean"], safeCut: (text: string) => number): RedactedStream {
  let buffer = "";
  let isSkipping = false;

  return {
    push(text) {
      buffer += text;
      if (isSkipping) skip();
      const until = safeCut(buffer);
      if (until > 0) return release(until);
      if (buffer.length <= BUFFER_CHARACTERS_MAX) return "";
      buffer = "";
      isSkipping = true;
      return "[cut: a run of symbols without a break]";
    },
    end() {
      if (isSkipping) skip();
      return release(buffer.length);
    },
  };

  function skip(): void {
    const next = buffer.search(BREAK);
    isSkipping = next === -1;
    buffer = isSkipping ? "" : buffer.slice(next);
  }

  function release(until: number): string {
    const output = clean(buffer.slice(0, until)).text;
    buffer = buffer.slice(until);
    return output;
  }
}

function shapeOf(groups: Readonly<Record<string, string | undefined>> | undefined): string {
  return Object.entries(groups ?? {}).find(([, found]) => found !== undefined)?.[0] ?? "secret";
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
