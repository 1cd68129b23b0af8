/**
 * Skips text without secrets before the slower patterns run, without false negatives. Known forms are found by a
 * Wu-Manber search with two-symbol shifts. Every token pattern has a run of at least `RUN` token symbols, so only every
 * `RUN`th symbol is checked. Reading bytes is several times faster than reading strings; above U+00FF only the low byte
 * is kept, so matches are verified against the text.
 */
const RUN = 15;
const PAIRS = 4_096;
const BEGIN_KEY = "-----BEGIN ";
/** Buffer reused between calls; longer texts get their own. */
const SCRATCH_BYTES = 65_536;

const scratch = Buffer.alloc(SCRATCH_BYTES);

type Holds = (text: string, bytes: Uint8Array, length: number) => boolean;

export function createPrefilter(forms: readonly string[], shape: RegExp): (text: string) => boolean {
  const holdsForm = createFormSearch(forms);
  const holdsShape = createRunSearch(shape);
  return (text) => {
    const bytes = text.length > scratch.length ? Buffer.alloc(text.length) : scratch;
    bytes.write(text, "latin1");
    return text.includes(BEGIN_KEY) || holdsForm(text, bytes, text.length) || holdsShape(text, bytes, text.length);
  };
}

const IS_TOKEN_SYMBOL = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\w.-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

function createRunSearch(shape: RegExp): Holds {
  return (text, bytes, length) => {
    let at = RUN - 1;
    while (at < length) {
      const lowest = at - RUN + 1;
      let from = at;
      while (from >= lowest && IS_TOKEN_SYMBOL[bytes[from]] === 1) from--;
      if (from >= lowest) {
        // The run is broken here, so the next long enough run ends at least this far ahead.
        at = from + RUN;
        continue;
      }
      while (from >= 0 && IS_TOKEN_SYMBOL[bytes[from]] === 1) from--;
      while (at < length && IS_TOKEN_SYMBOL[bytes[at]] === 1) at++;
      if (shape.test(text.slice(from + 1, at))) return true;
      at += RUN;
    }
    return false;
  };
}

function pairOf(first: number, second: number): number {
  return ((first & 63) << 6) | (second & 63);
}

function createFormSearch(forms: readonly string[]): Holds {
  if (forms.length === 0) return () => false;
  const shortest = Math.min(...forms.map(({ length }) => length), 255);
  const shifts = new Uint8Array(PAIRS).fill(shortest - 1);
  const ending = new Map<number, string[]>();
  for (const form of forms) {
    for (let end = 1; end < shortest; end++) {
      const pair = pairOf(form.charCodeAt(end - 1), form.charCodeAt(end));
      shifts[pair] = Math.min(shifts[pair], shortest - 1 - end);
    }
    const last = pairOf(form.charCodeAt(shortest - 2), form.charCodeAt(shortest - 1));
    ending.set(last, [...(ending.get(last) ?? []), form]);
  }

  return (text, bytes, length) => {
    let at = shortest - 1;
    while (at < length) {
      const pair = pairOf(bytes[at - 1], bytes[at]);
      const shift = shifts[pair];
      if (shift > 0) {
        at += shift;
        continue;
      }
      const begin = at - shortest + 1;
      if (ending.get(pair)?.some((form) => text.startsWith(form, begin))) return true;
      at++;
    }
    return false;
  };
}
