/** Words as constraints that also know how much each item owes them. */
import { NO_COLUMN, type BuiltWords } from "./build-words.ts";
import type { Constraint } from "./constraints.ts";
import { halved } from "./impact.ts";
import type { Scratch } from "./scratch.ts";
import { gallop, intersect } from "./sets.ts";
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
export function columnWord(column: Uint8Array, size: number, scratch: Scratch): WordConstraint {
  return {
    size,
    ids() {
      let count = 0;
      for (let id = 0; id < column.length; id++) if (column[id] !== 0) scratch.ids[count++] = id;
      return scratch.ids.subarray(0, count);
    },
    narrow(ids, into) {
      let kept = 0;
      for (let i = 0; i < ids.length; i++) if (column[ids[i]] !== 0) into[kept++] = ids[i];
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
  const terms = distinctTerms(words, range);
  const postings = terms.reduce((sum, one) => sum + words.documents[one], term < 0 ? 0 : words.documents[term]);
  const column = scratch.column;
  const merged = columnWord(column, postings, scratch);
  const mergeAll = () => {
    column.fill(0);
    for (const one of terms) mergeTerm(words, one, column, halved);
    if (term >= 0) mergeTerm(words, term, column, (impact) => impact);
  };
  const mergeFor = (ids: Uint32Array) => {
    column.fill(0);
    for (const one of terms) mergeTermFor(words, one, { column, ids, value: halved });
    if (term >= 0) mergeTermFor(words, term, { column, ids, value: (impact) => impact });
  };
  return {
    size: postings,
    ids() {
      mergeAll();
      return merged.ids();
    },
    narrow(ids, into) {
      // Finding an id in a list costs about as much as merging sixteen neighbours.
      if (ids.length * terms.length * 16 < postings) mergeFor(ids);
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

function mergeTerm(words: BuiltWords, term: number, column: Uint8Array, value: (impact: number) => number): void {
  const source = columnOf(words, term, column.length);
  if (source !== null) {
    for (let id = 0; id < column.length; id++)
      if (source[id] !== 0) column[id] = Math.max(column[id], value(source[id]));
    return;
  }
  const { ids, impacts, starts } = words;
  for (let at = starts[term]; at < starts[term + 1]; at++) {
    const impact = value(impacts[at]);
    if (impact > column[ids[at]]) column[ids[at]] = impact;
  }
}

function mergeTermFor(
  words: BuiltWords,
  term: number,
  { column, ids, value }: { column: Uint8Array; ids: Uint32Array; value: (impact: number) => number },
): void {
  const source = columnOf(words, term, column.length);
  if (source !== null) {
    for (const id of ids) if (source[id] !== 0) column[id] = Math.max(column[id], value(source[id]));
    return;
  }
  const list = words.ids.subarray(words.starts[term], words.starts[term + 1]);
  let at = 0;
  for (const id of ids) {
    at = gallop(list, id, at);
    if (at === list.length) return;
    if (list[at] === id) column[id] = Math.max(column[id], value(words.impacts[words.starts[term] + at]));
  }
}

function columnOf(words: BuiltWords, term: number, items: number): Uint8Array | null {
  const column = words.columnOf[term];
  return column === NO_COLUMN ? null : words.columns.subarray(column * items, (column + 1) * items);
}
