/** Words as constraints that also add their impact to scores. */
import { NO_COLUMN, type TermIndex } from "./build-term-sections.ts";
import type { Constraint } from "./constraints.ts";
import type { QueryScratch } from "./query-scratch.ts";
import { gallop, intersect } from "./posting-sets.ts";
import type { Range } from "./string-table.ts";

export interface TermConstraint extends Constraint {
  /** Adds the word's impact for each of `ids`, which all satisfy it, to the parallel `scores`. */
  addScores(ids: Uint32Array, scores: Uint16Array): void;
}

export function termConstraint(termIndex: TermIndex, term: number, scratch: QueryScratch): TermConstraint {
  const size = termIndex.documents[term];
  const column = columnOf(termIndex, term, scratch.count);
  return column !== null ? columnTermConstraint(column, size, scratch) : listTermConstraint(termIndex, term);
}

/** A word with the best impact per item in a column, which may be filled after the constraint is created. */
function columnTermConstraint(column: Uint8Array, size: number, scratch: QueryScratch): TermConstraint {
  return {
    size,
    ids() {
      let count = 0;
      const into = scratch.ids;
      // Branchless: always writes and advances only on a match, because a misprediction costs more than a write.
      for (let id = 0; id < column.length; id++) {
        into[count] = id;
        count += column[id] === 0 ? 0 : 1;
      }
      return into.subarray(0, count);
    },
    narrow(ids, into) {
      let count = 0;
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i];
        into[count] = id;
        count += column[id] === 0 ? 0 : 1;
      }
      return count;
    },
    addScores(ids, scores) {
      for (let i = 0; i < ids.length; i++) scores[i] += column[ids[i]];
    },
  };
}

/**
 * An unfinished word: full impact for its exact term (-1 for none), half of the best impact for terms it is a prefix
 * of. Merges their lists into the scratch column.
 */
export function prefixConstraint(
  termIndex: TermIndex,
  term: number,
  range: Range,
  scratch: QueryScratch,
): TermConstraint {
  const longer = distinctTerms(termIndex, range);
  const size = [...longer, ...(term < 0 ? [] : [term])].reduce((sum, each) => sum + termIndex.documents[each], 0);
  const { column } = scratch;
  const merged = columnTermConstraint(column, size, scratch);
  const merge = () => {
    column.fill(0);
    for (const longerTerm of longer) mergeTerm(termIndex, longerTerm, column);
    halveAll(scratch.columnWords);
    if (term >= 0) mergeTerm(termIndex, term, column);
  };
  return {
    size,
    ids() {
      merge();
      return merged.ids();
    },
    narrow(ids, into) {
      merge();
      return merged.narrow(ids, into);
    },
    addScores: merged.addScores,
  };
}

function listTermConstraint(termIndex: TermIndex, term: number): TermConstraint {
  const list = termIndex.ids.subarray(termIndex.starts[term], termIndex.starts[term + 1]);
  const impacts = termIndex.impacts.subarray(termIndex.starts[term], termIndex.starts[term + 1]);
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

function distinctTerms(termIndex: TermIndex, { from, to }: Range): number[] {
  return [...new Set(termIndex.surfaceTerms.subarray(from, to))];
}

function mergeTerm(termIndex: TermIndex, term: number, column: Uint8Array): void {
  const source = columnOf(termIndex, term, column.length);
  if (source !== null) return raise(column, source);
  const { ids, impacts } = termIndex;
  const end = termIndex.starts[term + 1];
  for (let at = termIndex.starts[term]; at < end; at++)
    if (impacts[at] > column[ids[at]]) column[ids[at]] = impacts[at];
}

/** Branchless, because the comparison is unpredictable. */
function raise(column: Uint8Array, source: Uint8Array): void {
  for (let id = 0; id < column.length; id++) column[id] = Math.max(column[id], source[id]);
}

/** Halves four impacts at a time, rounding up: each byte without its last bit, halved, plus that bit. */
function halveAll(words: Uint32Array): void {
  for (let at = 0; at < words.length; at++) {
    const four = words[at];
    if (four !== 0) words[at] = ((four & 0xfefefefe) >>> 1) + (four & 0x01010101);
  }
}

function columnOf(termIndex: TermIndex, term: number, items: number): Uint8Array | null {
  const column = termIndex.columnOf[term];
  return column === NO_COLUMN ? null : termIndex.columns.subarray(column * items, (column + 1) * items);
}
