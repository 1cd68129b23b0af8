/**
 * From a text to its tokens: NFKC, lower case, no accents (people leave them out), words split where languages and programs join
 * them: `l'heure` is `l'` and `heure`, `can't` is `can` and `n't`, `getWeather` and `get_weather` are `get` and `weather`.
 * Digits say how many they are and not which, because routes turn on "a number", seldom on this number.
 */

/** A longer text is read at its beginning and its end: what is wanted stands there, and time is bounded. */
export const FIRST_TOKENS = 192;
export const LAST_TOKENS = 64;

export interface Tokens {
  readonly tokens: readonly string[];
  /** Tokens of the whole text, those that are not read included. */
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
const LETTER = /^\p{L}/u;
const NUMBER = /^\p{N}/u;

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (const [token] of folded(text).matchAll(TOKEN)) {
    if (LETTER.test(token)) pushWords(tokens, token);
    else if (NUMBER.test(token)) tokens.push("0".repeat(Math.min(token.length, 6)));
    else tokens.push(token);
  }
  return tokens;
}

function folded(text: string): string {
  const split = text.replace(HUMP, "$1 $2");
  if (!NOT_ASCII.test(split)) return split.toLowerCase();
  return split.normalize("NFKC").toLowerCase().normalize("NFD").replace(ACCENT, "$1").normalize("NFC");
}

/** What French leaves of a word before a vowel. */
const ELISION = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|aujourd)$/;
/** What English hangs on a word. */
const CLITIC = /^(?:s|m|re|ve|ll|d)$/;

function pushWords(tokens: string[], token: string): void {
  const parts = token.split(/['\u2019]/).filter((part) => part !== "");
  if (parts.length <= 1) return void tokens.push(parts[0] ?? token);
  for (const [place, part] of parts.entries()) {
    const next = parts[place + 1];
    if (next === "t" && part.endsWith("n") && part.length > 1) {
      tokens.push(part === "can" ? part : part.slice(0, -1), "n't");
      parts.splice(place + 1, 1);
    } else if (next !== undefined && ELISION.test(part)) tokens.push(`${part}'`);
    else if (place > 0 && CLITIC.test(part)) tokens.push(`'${part}`);
    else tokens.push(part);
  }
}
