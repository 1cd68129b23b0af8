/** Counts characters by kind in one pass, and detects which kinds occur. */

export interface Characters {
  readonly lineEnds: number;
  readonly questions: number;
  readonly clauses: number;
  readonly signs: number;
  readonly capitals: number;
  /** Bit set of the kinds that may occur: no other kind does. */
  readonly present: number;
}

const LINE_END = 1;
export const QUESTION = 2;
const CLAUSE = 4;
export const SIGN = 8;
const CAPITAL = 16;
export const NUMBER = 32;
export const MARK = 64;
const UNKNOWN = 128;

const PATTERNS = [/\n/g, /\?/g, /[,;:]/g, /[=^\\{}|_~√∑∫≤≥<>[\]]/g, /\p{Lu}/gu, /\p{N}/gu, /[.!…)*•-]/g] as const;
/** Most texts contain only Latin letters and common punctuation. */
const LATIN = 0x250;
const BETWEEN_WORDS = "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022\u20ac";
const KINDS = kindsOfCharacters();

export function countCharacters(text: string): Characters {
  let lineEnds = 0;
  let questions = 0;
  let clauses = 0;
  let signs = 0;
  let capitals = 0;
  let present = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const kinds = code < KINDS.length ? KINDS[code] : UNKNOWN;
    if (kinds === 0) continue;
    if (kinds === UNKNOWN) return countByPatterns(text);
    present |= kinds;
    if ((kinds & LINE_END) !== 0) lineEnds++;
    if ((kinds & QUESTION) !== 0) questions++;
    if ((kinds & CLAUSE) !== 0) clauses++;
    if ((kinds & SIGN) !== 0) signs++;
    if ((kinds & CAPITAL) !== 0) capitals++;
  }
  return { lineEnds, questions, clauses, signs, capitals, present };
}

function countByPatterns(text: string): Characters {
  const [lineEnds, questions, clauses, signs, capitals] = PATTERNS.map((pattern) => text.match(pattern)?.length ?? 0);
  return { lineEnds, questions, clauses, signs, capitals, present: UNKNOWN - 1 };
}

function kindsOfCharacters(): Uint8Array {
  const kinds = new Uint8Array(0x2100).fill(UNKNOWN, LATIN);
  const latin = String.fromCharCode(...Array.from({ length: LATIN }, (_, code) => code));
  for (const character of BETWEEN_WORDS) kinds[character.charCodeAt(0)] = 0;
  for (const [bit, pattern] of PATTERNS.entries())
    for (const [found] of (latin + BETWEEN_WORDS).matchAll(pattern)) kinds[found.charCodeAt(0)] |= 1 << bit;
  return kinds;
}
