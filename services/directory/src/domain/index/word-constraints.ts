/** Words as constraints that also know how much each item owes them. */
import { NO_COLUMN, type BuiltWords } from "./build-words.ts";
import type { Constraint } from "./constraints.ts";
import { halved } from "./impact.ts";
import type { Scratch } from "./scratch.ts";
import { drainBits, gallop, intersect } from "./sets.ts";
import type { Range } from "./string-table.ts";

export interface WordConstraint extends Constraint {
  /** Adds the word's impact in each of `ids`, all of which satisfy it, to the score at the same place. */
  addScores(ids: Uint32Array, scores: Uint16Array): void;
}

/** A finished word. */
export function termConstraint(words: BuiltWords, term: number, scratch: Scratch): WordConstraint {
  const size = words.documents[term];
  const column = columnOf(words, term, scratch.count);
  return column !== null ? columnWord(column, size, scratch) : listWord(words, term);
}

/** A word with an item's best impact in a column of its own. `column` may be filled later than the constraint is made. */
function columnWord(column: Uint8Array, size: number, scratch: Scratch): WordConstraint {
  return {
    size,
    ids() {
      let count = 0;
      const into = scratch.ids;
      // Written always, kept only when it counts: a jump that the processor cannot foresee costs more than a write.
      for (let id = 0; id < column.length; id++) {
        into[count] = id;
        count += column[id] === 0 ? 0 : 1;
      }
      return into.subarray(0, count);
    },
    narrow(ids, into) {
      let kept = 0;
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i];
        into[kept] = id;
        kept += column[id] === 0 ? 0 : 1;
      }
      return kept;
    },
    addScores(ids, scores) {
      for (let i = 0; i < ids.length; i++) scores[i] += column[ids[i]];
    },
  };
}

/**
 * An unfinished word: its exact term (-1 for none) in full, and half of the best among the terms of the words that begin with it.
 * Their lists are merged into the scratch column, for all items, or only for those that other constraints left over when these
 * are few: which of the two is known only when it is asked.
 */
export function prefixConstraint(words: BuiltWords, term: number, range: Range, scratch: Scratch): WordConstraint {
  const longer = distinctTerms(words, range);
  const postings = longer.reduce((sum, one) => sum + words.documents[one], term < 0 ? 0 : words.documents[term]);
  const column = scratch.column;
  const merged = columnWord(column, postings, scratch);
  const hasColumn = (one: number) => words.columnOf[one] !== NO_COLUMN;
  const isSparse = postings * 4 < scratch.count && !longer.some(hasColumn) && !(term >= 0 && hasColumn(term));
  // Half of the best is the best of the halves: halving once, after merging, keeps the long loop short.
  const mergeAll = () => {
    const columns = longer.flatMap((one) => columnOf(words, one, scratch.count) ?? []);
    if (columns.length > 0) column.set(columns[0]);
    else column.fill(0);
    for (const source of columns.slice(1)) raise(column, source);
    for (const one of longer) if (!hasColumn(one)) mergeTerm(words, one, column);
    halveAll(scratch.columnWords);
    if (term >= 0) mergeTerm(words, term, column);
  };
  /** The same with the ids on the way, for lists that are short together: nothing is looked at that no list names. */
  const mergeAndList = () => {
    column.fill(0);
    for (const one of longer) mergeList(words, one, { column, bits: scratch.bits, shift: 1 });
    if (term >= 0) mergeList(words, term, { column, bits: scratch.bits, shift: 0 });
    return scratch.ids.subarray(0, drainBits(scratch.bits, scratch.ids));
  };
  const mergeFor = (ids: Uint32Array) => {
    column.fill(0);
    for (const one of longer) mergeTermFor(words, one, column, ids);
    for (let i = 0; i < ids.length; i++) column[ids[i]] = halved(column[ids[i]]);
    if (term >= 0) mergeTermFor(words, term, column, ids);
  };
  return {
    size: postings,
    ids() {
      if (isSparse) return mergeAndList();
      mergeAll();
      return merged.ids();
    },
    narrow(ids, into) {
      // Finding an id in a list costs about as much as merging sixteen neighbours.
      if (ids.length * longer.length * 16 < postings) mergeFor(ids);
      else mergeAll();
      return merged.narrow(ids, into);
    },
    addScores: merged.addScores,
  };
}

function listWord(words: BuiltWords, term: number): WordConstraint {
  const list = words.ids.subarray(words.starts[term], words.starts[term + 1]);
  const impacts = words.impacts.subarray(words.starts[term], words.starts[term + 1]);
  return {
    size: list.length,
    ids: () => list,
    narrow: (ids, into) => intersect(ids, list, into),
    addScores(ids, scores) {
      let at = 0;
      const isSparse = ids.length * 16 < list.length;
      for (let i = 0; i < ids.length; i++) {
        if (isSparse) at = gallop(list, ids[i], at);
        else while (list[at] < ids[i]) at++;
        scores[i] += impacts[at];
      }
    },
  };
}

function distinctTerms(words: BuiltWords, { from, to }: Range): number[] {
  return [...new Set(words.surfaceTerms.subarray(from, to))];
}

/** Raises the column to the term's impact wherever that is greater. */
function mergeTerm(words: BuiltWords, term: number, column: Uint8Array): void {
  const source = columnOf(words, term, column.length);
  if (source !== null) return raise(column, source);
  const { ids, impacts } = words;
  const end = words.starts[term + 1];
  for (let at = words.starts[term]; at < end; at++) if (impacts[at] > column[ids[at]]) column[ids[at]] = impacts[at];
}

/** Written always: which of the two is greater cannot be foreseen. */
function raise(column: Uint8Array, source: Uint8Array): void {
  for (let id = 0; id < column.length; id++) column[id] = Math.max(column[id], source[id]);
}

/** Raises the column to the impacts of a term that has a list, halved when `shift` is 1, and marks the items in `bits`. */
function mergeList(
  words: BuiltWords,
  term: number,
  { column, bits, shift }: { column: Uint8Array; bits: Uint32Array; shift: 0 | 1 },
): void {
  const { ids, impacts } = words;
  const end = words.starts[term + 1];
  for (let at = words.starts[term]; at < end; at++) {
    const id = ids[at];
    const impact = (impacts[at] + shift) >> shift;
    bits[id >>> 5] |= 1 << (id & 31);
    if (impact > column[id]) column[id] = impact;
  }
}

/** `halved` of four impacts at a time: the half of each byte without its last bit, and that bit added again. */
function halveAll(words: Uint32Array): void {
  for (let at = 0; at < words.length; at++) {
    const four = words[at];
    if (four !== 0) words[at] = ((four & 0xfefefefe) >>> 1) + (four & 0x01010101);
  }
}

/** `mergeTerm` for these ids only. */
function mergeTermFor(words: BuiltWords, term: number, column: Uint8Array, ids: Uint32Array): void {
  const source = columnOf(words, term, column.length);
  if (source !== null) {
    for (let i = 0; i < ids.length; i++) if (source[ids[i]] > column[ids[i]]) column[ids[i]] = source[ids[i]];
    return;
  }
  const list = words.ids.subarray(words.starts[term], words.starts[term + 1]);
  const impacts = words.impacts.subarray(words.starts[term], words.starts[term + 1]);
  let at = 0;
  for (let i = 0; i < ids.length; i++) {
    at = gallop(list, ids[i], at);
    if (at === list.length) return;
    if (list[at] === ids[i] && impacts[at] > column[ids[i]]) column[ids[i]] = impacts[at];
  }
}

function columnOf(words: BuiltWords, term: number, items: number): Uint8Array | null {
  const column = words.columnOf[term];
  return column === NO_COLUMN ? null : words.columns.subarray(column * items, (column + 1) * items);
}
