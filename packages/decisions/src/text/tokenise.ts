/**
 * Tokenizer: NFKC, lower case, no accents (users omit them). Splits elisions, clitics and identifiers: `l'heure`,
 * `can't`, `getWeather` are two tokens each. Numbers are reduced to their digit count, because routes rarely depend on
 * values.
 */

/** Of longer texts, only the beginning and the end are read, where the intent usually is. This bounds the time. */
export const FIRST_TOKENS = 192;
export const LAST_TOKENS = 64;

export interface Tokens {
  readonly tokens: readonly string[];
  /** Number of tokens in the whole text, including unread ones. */
  readonly count: number;
}

export function tokenise(text: string): Tokens {
  const all = tokensOf(text);
  if (all.length <= FIRST_TOKENS + LAST_TOKENS) return { tokens: all, count: all.length };
  return { tokens: [...all.slice(0, FIRST_TOKENS), ...all.slice(-LAST_TOKENS)], count: all.length };
}

const TOKEN = /[\p{L}\p{M}]+(?:['\u2019][\p{L}\p{M}]+)*['\u2019]?|\p{N}+|[?!%€$£@#+*/=<>&:-]/gu;
const HUMP = /(\p{Ll})(\p{Lu})/gu;
const NOT_ASCII = /[^\x00-\x7f]/;
const ACCENT = /(\p{Script=Latin})\p{M}+/gu;
/** Texts without such characters: neither they nor their decompositions have marks outside U+0300 to U+036F. */
const NOT_EUROPEAN = /[^\x00-\u036f\u2000-\u20cf]/;
/** Equivalent to ACCENT for such texts, but faster, because it searches for marks, which are rare. */
const EUROPEAN_ACCENT = /[\u0300-\u036f]+(?<=\p{Script=Latin}[\u0300-\u036f]+)/gu;
const LETTER = /^\p{L}/u;
const NUMBER = /^\p{N}/u;

function tokensOf(text: string): string[] {
  const read = folded(text);
  return plainTokens(read) ?? tokensOfAnyScript(read);
}

function tokensOfAnyScript(text: string): string[] {
  const tokens: string[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    if (LETTER.test(token)) pushWords(tokens, token);
    else if (NUMBER.test(token)) tokens.push(figures(token.length));
    else tokens.push(token);
  }
  return tokens;
}

function folded(text: string): string {
  if (!NOT_ASCII.test(text)) return text.replace(ASCII_HUMP, "$1 $2").toLowerCase();
  const apart = text.replace(HUMP, "$1 $2").normalize("NFKC").toLowerCase().normalize("NFD");
  const bare = NOT_EUROPEAN.test(text) ? apart.replace(ACCENT, "$1") : apart.replace(EUROPEAN_ACCENT, "");
  return bare.normalize("NFC");
}

const ASCII_HUMP = /([a-z])([A-Z])/g;
const FIGURES = ["", "0", "00", "000", "0000", "00000", "000000"] as const;

function figures(digits: number): string {
  return FIGURES[Math.min(digits, 6)] ?? "";
}

/** The token class of each character of plain text. Characters without a class separate tokens, like spaces. */
const LETTERS = 1;
const DIGITS = 2;
const SIGN = 3;
const APOSTROPHE = 4;
const UNKNOWN = 5;
const KINDS = kindsOfCharacters();

function kindsOfCharacters(): Uint8Array {
  const kinds = new Uint8Array(0x2100).fill(UNKNOWN, 0x80);
  const setKind = (characters: string, kind: number) => {
    for (let index = 0; index < characters.length; index++) kinds[characters.charCodeAt(index)] = kind;
  };
  setKind("abcdefghijklmnopqrstuvwxyzœæß", LETTERS);
  setKind("0123456789", DIGITS);
  setKind("?!%€$£@#+*/=<>&:-", SIGN);
  setKind("'\u2019", APOSTROPHE);
  setKind("«»–—•\u201c\u201d", 0);
  return kinds;
}

/**
 * Most folded texts consist of unaccented letters and common symbols. Scanning them character by character is much
 * faster than TOKEN, and gives the same result. Returns null for all other texts.
 */
function plainTokens(text: string): string[] | null {
  const tokens: string[] = [];
  let position = 0;
  while (position < text.length) {
    const from = position;
    const kind = kindAt(text, position);
    if (kind === UNKNOWN) return null;
    position = endOfRun(text, position + 1, kind);
    if (kind === DIGITS) tokens.push(figures(position - from));
    else if (kind === SIGN) tokens.push(text.slice(from, position));
    if (kind !== LETTERS) continue;
    if (kindAt(text, position) !== APOSTROPHE) {
      tokens.push(text.slice(from, position));
      continue;
    }
    // An apostrophe belongs to the word before it, together with the letters after it.
    while (kindAt(text, position) === APOSTROPHE && kindAt(text, position + 1) === LETTERS)
      position = endOfRun(text, position + 2, LETTERS);
    pushWords(tokens, text.slice(from, position));
  }
  return tokens;
}

/** Letters and digits form runs; symbols stand alone. */
function endOfRun(text: string, from: number, kind: number): number {
  let position = from;
  if (kind === LETTERS || kind === DIGITS) while (kindAt(text, position) === kind) position++;
  return position;
}

function kindAt(text: string, position: number): number {
  if (position >= text.length) return 0;
  const code = text.charCodeAt(position);
  return code < KINDS.length ? KINDS[code] : UNKNOWN;
}

const ELISION = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|aujourd)$/;
const CLITIC = /^(?:s|m|re|ve|ll|d)$/;

function pushWords(tokens: string[], token: string): void {
  const parts = token.split(/['\u2019]/).filter((part) => part !== "");
  if (parts.length <= 1) return void tokens.push(parts[0] ?? token);
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1];
    if (next === "t" && part.endsWith("n") && part.length > 1) {
      tokens.push(part === "can" ? part : part.slice(0, -1), "n't");
      parts.splice(index + 1, 1);
    } else if (next !== undefined && ELISION.test(part)) tokens.push(`${part}'`);
    else if (index > 0 && CLITIC.test(part)) tokens.push(`'${part}`);
    else tokens.push(part);
  }
}
