/** Words with a similar spelling, found without reading the whole vocabulary. */
import { sizeOf, type StringTable } from "./string-table.ts";

export interface Neighbor {
  readonly position: number;
  readonly edits: number;
}

/**
 * All words of a sorted table within `most` edits (optimal string alignment: a letter more, less or wrong, or two
 * exchanged), by position. Words with a common beginning are neighbors in the table and share the rows of the distance
 * table. So the search goes from beginning to longer beginning, and leaves those that are beyond `most` already.
 */
export function wordsWithin(table: StringTable, target: string, most: number): Neighbor[] {
  const { bytes, starts } = table;
  const found: Neighbor[] = [];
  const distances = createDistances(target, most);
  const letterAt = (position: number, depth: number) => codePointAt(bytes, starts[position] + depth);

  /** First position with at least this letter. */
  const startOfRun = (from: number, to: number, depth: number, letter: number): number => {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (letterAt(middle, depth) < letter) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  /** First position after `from` without this letter: exponential, then binary search, because most runs are short. */
  const endOfRun = (from: number, to: number, depth: number): number => {
    const letter = letterAt(from, depth);
    let step = 1;
    while (from + step < to && letterAt(from + step, depth) === letter) step *= 2;
    let low = from + (step >>> 1) + 1;
    let high = Math.min(to, from + step);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (letterAt(middle, depth) === letter) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  /** Visits the words from `from` to `to`, which begin with the same `depth` bytes, or `length` UTF-16 units. */
  const visit = (from: number, to: number, depth: number, length: number): void => {
    let at = from;
    if (starts[at + 1] - starts[at] === depth) {
      const edits = distances.edits(length);
      if (edits <= most) found.push({ position: at, edits });
      at++;
    }
    const letters = distances.possibleLetters(length);
    if (letters === null) {
      while (at < to) at = visitRun(at, to, depth, length);
      return;
    }
    for (let next = 0; next < letters.length; next++) {
      const start = startOfRun(at, to, depth, letters[next]);
      if (start < to && letterAt(start, depth) === letters[next]) visitRun(start, to, depth, length);
    }
  };
  /** Visits the words with the letter of the first one at this depth; returns the position after them. */
  const visitRun = (from: number, to: number, depth: number, length: number): number => {
    const end = endOfRun(from, to, depth);
    const letter = letterAt(from, depth);
    const longer = distances.append(length, letter);
    if (!distances.isBeyond(longer)) visit(from, end, depth + utf8Length(letter), longer);
    return end;
  };
  if (sizeOf(table) > 0) visit(0, sizeOf(table), 0, 0);
  return found.sort((a, b) => a.position - b.position);
}

/**
 * The rows of the distance table between a target and the beginning of a word, one per UTF-16 unit of it. Only cells at
 * most `most` from the diagonal are filled, because the others are beyond it.
 */
function createDistances(target: string, most: number) {
  const letters = Uint16Array.from({ length: target.length }, (_, at) => target.charCodeAt(at));
  const hasSurrogates = letters.some((unit) => unit >= 0xd800 && unit <= 0xdfff);
  // Longer beginnings are beyond `most`; the last character may have two units.
  const rows = Array.from({ length: target.length + most + 3 }, () => new Uint16Array(target.length + 2));
  for (const at of rows[0].keys()) rows[0][at] = at;
  const word = new Uint16Array(rows.length);
  const leasts = new Uint16Array(rows.length);

  const appendUnit = (length: number, unit: number): number => {
    const [row, above] = [rows[length + 1], rows[length]];
    const first = Math.max(1, length + 1 - most);
    const last = Math.min(letters.length, length + 1 + most);
    word[length] = unit;
    let [left, least] = [first === 1 ? length + 1 : most + 1, length + 1];
    row[first - 1] = left;
    for (let at = first; at <= last; at++) {
      let value = Math.min(above[at] + 1, left + 1, above[at - 1] + (unit === letters[at - 1] ? 0 : 1));
      if (length > 0 && at > 1 && unit === letters[at - 2] && word[length - 1] === letters[at - 1])
        value = Math.min(value, rows[length - 1][at - 2] + 1);
      row[at] = left = value;
      if (value < least) least = value;
    }
    row[last + 1] = most + 1;
    leasts[length + 1] = least;
    return length + 1;
  };
  return {
    /** Adds a letter to a beginning of this length; returns the new length. */
    append(length: number, letter: number): number {
      if (letter <= 0xffff) return appendUnit(length, letter);
      const rest = letter - 0x1_0000;
      return appendUnit(appendUnit(length, 0xd800 | (rest >> 10)), 0xdc00 | (rest & 0x3ff));
    },
    /** An exchange of two letters continues the row before the last one, at the cost of one edit. */
    isBeyond: (length: number) => leasts[length] > most && leasts[length - 1] >= most,
    edits: (length: number) => (Math.abs(length - letters.length) > most ? most + 1 : rows[length][letters.length]),
    /** Without edits left, only letters of the target can follow; null if each letter can. */
    possibleLetters(length: number): number[] | null {
      if (leasts[length] < most || hasSurrogates) return null;
      const possible: number[] = [];
      const row = rows[length];
      const last = Math.min(letters.length - 1, length + most);
      for (let at = Math.max(0, length - most); at <= last; at++) {
        if (row[at] <= most && !possible.includes(letters[at])) possible.push(letters[at]);
        if (length === 0 || at === 0 || word[length - 1] !== letters[at]) continue;
        // Exchanged with the letter before.
        if (rows[length - 1][at - 1] < most && !possible.includes(letters[at - 1])) possible.push(letters[at - 1]);
      }
      return possible;
    },
  };
}

function codePointAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first < 0x80) return first;
  const second = bytes[at + 1] & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | second;
  const third = bytes[at + 2] & 0x3f;
  if (first < 0xf0) return ((first & 0x0f) << 12) | (second << 6) | third;
  return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3] & 0x3f);
}

function utf8Length(letter: number): number {
  if (letter < 0x80) return 1;
  if (letter < 0x800) return 2;
  return letter < 0x1_0000 ? 3 : 4;
}
