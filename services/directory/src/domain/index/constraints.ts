/**
 * A filter as a constraint: lists its items (when it is the rarest of a query) or narrows another's list of ascending
 * ids. `ids()` may return a view of the index: do not write to it.
 */
import { unitVector, chordBound } from "../geo.ts";
import type { Box, Near } from "../catalogue.ts";
import type { Lists } from "./build-lists.ts";
import { chordToPosition, exactBox, isInExactBox, NO_POSITION, runsAround, runsInBox } from "./grid.ts";
import type { Column, IndexViews, KeyLists } from "./index-views.ts";
import type { QueryScratch } from "./query-scratch.ts";
import { addBits, clearBits, drainBits, hasBit, intersect } from "./posting-sets.ts";
import type { Range } from "./string-table.ts";

export interface Constraint {
  /** Upper bound of the ids that pass. */
  readonly size: number;
  ids(): Uint32Array;
  /** Writes the passing `ids` to `into`, which may share their memory; returns their number. */
  narrow(ids: Uint32Array, into: Uint32Array): number;
}

export const NOTHING: Constraint = { size: 0, ids: () => new Uint32Array(0), narrow: () => 0 };

function listOf({ starts, ids }: Lists, value: number): Uint32Array {
  return ids.subarray(starts[value], starts[value + 1]);
}

export function columnConstraint(column: Column, accepted: readonly number[], scratch: QueryScratch): Constraint {
  const { values } = column;
  const lists = accepted.map((value) => listOf(column, value - 1));
  return {
    size: sumOfLengths(lists),
    ids: () => union(lists, scratch),
    narrow(ids, into) {
      const { accepts } = scratch;
      for (const value of accepted) accepts[value] = 1;
      let count = 0;
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i];
        into[count] = id;
        count += accepts[values[id]];
      }
      for (const value of accepted) accepts[value] = 0;
      return count;
    },
  };
}

/** One value of each column, whose ids the index lists. Other lists are narrowed column by column. */
export function pairConstraint({ starts, ids: all }: Lists, pair: number, columns: readonly Constraint[]): Constraint {
  const list = all.subarray(starts[pair], starts[pair + 1]);
  return {
    size: list.length,
    ids: () => list,
    narrow(ids, into) {
      let rest = ids;
      for (const column of columns) rest = into.subarray(0, column.narrow(rest, into));
      return rest.length;
    },
  };
}

export function tagConstraint(index: IndexViews, tags: readonly number[], scratch: QueryScratch): Constraint {
  const lists = tags.map((tag) => listOf(index.tagLists, tag));
  const size = sumOfLengths(lists);
  return {
    size,
    ids: () => union(lists, scratch),
    narrow(ids, into) {
      const [only] = lists;
      // Merging one list is cheaper than looking up each item's tags, unless the list is much longer.
      if (lists.length === 1 && only.length < ids.length * 8) return intersect(ids, only, into);
      let count = 0;
      for (let i = 0; i < ids.length; i++) if (hasAnyTag(index, ids[i], tags)) into[count++] = ids[i];
      return count;
    },
  };
}

export function withoutTagsConstraint(index: IndexViews, tags: readonly number[], scratch: QueryScratch): Constraint {
  const lists = tags.map((tag) => listOf(index.tagLists, tag));
  return {
    size: scratch.count - Math.max(...lists.map((list) => list.length)),
    ids() {
      for (const list of lists) addBits(scratch.bits, list);
      const into = scratch.ids;
      let count = 0;
      for (let id = 0; id < scratch.count; id++) if (!hasBit(scratch.bits, id)) into[count++] = id;
      scratch.bits.fill(0);
      return into.subarray(0, count);
    },
    narrow(ids, into) {
      let count = 0;
      for (let i = 0; i < ids.length; i++) if (!hasAnyTag(index, ids[i], tags)) into[count++] = ids[i];
      return count;
    },
  };
}

function hasAnyTag({ itemTagStarts, itemTags }: IndexViews, id: number, tags: readonly number[]): boolean {
  for (let at = itemTagStarts[id]; at < itemTagStarts[id + 1]; at++) if (tags.includes(itemTags[at])) return true;
  return false;
}

/** Items in any of these ranges of keys. A range is contiguous in the index, so a prefix costs one slice. */
export function keysConstraint(index: KeyLists, ranges: readonly Range[], scratch: QueryScratch): Constraint {
  const lists = listsOf(index, ranges);
  const [only] = ranges;
  const single = ranges.length === 1 && only.to === only.from + 1 ? lists[0] : null;
  return {
    size: Math.min(scratch.count, sumOfLengths(lists)),
    ids: () => single ?? unionOf(lists, scratch),
    narrow: (ids, into) =>
      single === null ? narrowByBits(ids, into, { lists, scratch, included: true }) : intersect(ids, single, into),
  };
}

export function withoutKeysConstraint(index: KeyLists, ranges: readonly Range[], scratch: QueryScratch): Constraint {
  const lists = listsOf(index, ranges);
  const narrow = (ids: Uint32Array, into: Uint32Array) => narrowByBits(ids, into, { lists, scratch, included: false });
  return {
    size: scratch.count - Math.max(0, ...lists.map((list) => list.length)),
    ids: () => scratch.ids.subarray(0, narrow(scratch.everyId, scratch.ids)),
    narrow,
  };
}

function listsOf({ starts, ids }: KeyLists, ranges: readonly Range[]): Uint32Array[] {
  return ranges.map(({ from, to }) => ids.subarray(starts[from], starts[to]));
}

interface BitFilter {
  readonly lists: readonly Uint32Array[];
  readonly scratch: QueryScratch;
  readonly included: boolean;
}

function narrowByBits(ids: Uint32Array, into: Uint32Array, { lists, scratch, included }: BitFilter): number {
  const { bits } = scratch;
  for (const list of lists) addBits(bits, list);
  let count = 0;
  for (let i = 0; i < ids.length; i++) if (hasBit(bits, ids[i]) === included) into[count++] = ids[i];
  for (const list of lists) clearBits(bits, list);
  return count;
}

export function boxConstraint({ grid }: IndexViews, box: Box, scratch: QueryScratch): Constraint {
  const exact = exactBox(box);
  const runs = runsInBox(grid, box);
  return {
    size: runs.reduce((sum, [from, to]) => sum + to - from, 0),
    ids() {
      const into = scratch.ids;
      let count = 0;
      for (const [from, to] of runs) {
        for (let at = from; at < to; at++) if (isInExactBox(grid, at, exact)) into[count++] = grid.ids[at];
      }
      return ascending(into.subarray(0, count), scratch);
    },
    narrow(ids, into) {
      let count = 0;
      for (let i = 0; i < ids.length; i++) {
        const position = grid.positions[ids[i]];
        if (position !== NO_POSITION && isInExactBox(grid, position, exact)) into[count++] = ids[i];
      }
      return count;
    },
  };
}

export interface NearConstraint extends Constraint {
  chord(id: number): number;
}

export function nearConstraint({ grid }: IndexViews, near: Near, scratch: QueryScratch): NearConstraint {
  const center = unitVector(near.lat, near.lon);
  const bound = chordBound(near.radiusKm);
  const runs = runsAround(grid, near);
  const size = runs.reduce((sum, [from, to]) => sum + to - from, 0);
  return {
    size,
    chord: (id) => chordToPosition(grid, grid.positions[id], center),
    ids() {
      const into = scratch.ids;
      let count = 0;
      for (const [from, to] of runs) {
        for (let at = from; at < to; at++) if (chordToPosition(grid, at, center) <= bound) into[count++] = grid.ids[at];
      }
      return ascending(into.subarray(0, count), scratch);
    },
    narrow(ids, into) {
      let count = 0;
      for (let i = 0; i < ids.length; i++) {
        const position = grid.positions[ids[i]];
        if (position !== NO_POSITION && chordToPosition(grid, position, center) <= bound) into[count++] = ids[i];
      }
      return count;
    },
  };
}

export function intersection(constraints: Constraint[], scratch: QueryScratch): Uint32Array {
  constraints.sort((a, b) => a.size - b.size);
  const [rarest, ...others] = constraints;
  if (rarest === undefined) return scratch.everyId;
  if (rarest.size === 0) return NOTHING.ids();
  let ids = rarest.ids();
  for (const other of others) {
    if (ids.length === 0) break;
    ids = scratch.ids.subarray(0, other.narrow(ids, scratch.ids));
  }
  return ids;
}

const FIRST_PART = 1024;
const PART_GROWTH = 16;

/** 1 if any item satisfies all constraints. Reads the rarest in growing parts: the first one usually decides. */
export function countAny(constraints: Constraint[], scratch: QueryScratch): 0 | 1 {
  constraints.sort((a, b) => a.size - b.size);
  const [rarest, ...others] = constraints;
  if (rarest === undefined) return scratch.count > 0 ? 1 : 0;
  if (rarest.size === 0) return 0;
  const ids = rarest.ids();
  for (let from = 0, size = FIRST_PART; from < ids.length; from += size, size *= PART_GROWTH) {
    // `ids` may be in the scratch memory: what is written to it has been read.
    let part = ids.subarray(from, from + size);
    for (const other of others) {
      if (part.length === 0) break;
      part = scratch.ids.subarray(0, other.narrow(part, scratch.ids));
    }
    if (part.length > 0) return 1;
  }
  return 0;
}

function union(lists: readonly Uint32Array[], scratch: QueryScratch): Uint32Array {
  return lists.length === 1 ? lists[0] : unionOf(lists, scratch);
}

/** The lists need not be ascending. */
function unionOf(lists: readonly Uint32Array[], scratch: QueryScratch): Uint32Array {
  for (const list of lists) addBits(scratch.bits, list);
  return scratch.ids.subarray(0, drainBits(scratch.bits, scratch.ids));
}

/** Sorts ids in place; large sets via a bitmap, which is then cheaper than comparing. */
function ascending(ids: Uint32Array, scratch: QueryScratch): Uint32Array {
  if (ids.length * 64 < scratch.count) return ids.sort();
  addBits(scratch.bits, ids);
  return ids.subarray(0, drainBits(scratch.bits, ids));
}

function sumOfLengths(lists: readonly Uint32Array[]): number {
  return lists.reduce((sum, list) => sum + list.length, 0);
}
