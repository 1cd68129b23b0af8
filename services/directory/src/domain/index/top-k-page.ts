/**
 * Selects the page of a sorted list without sorting it, in one or two passes over the matches at any offset. Ids arrive
 * in ascending order, which is title order.
 */
import { gallop } from "./posting-sets.ts";

export interface Window {
  readonly offset: number;
  readonly limit: number;
}

export function pageByTitle(ids: Uint32Array, { offset, limit }: Window): Uint32Array {
  return ids.slice(offset, offset + limit);
}

/**
 * By descending score, then id. Scores are small integers (at most `greatest`), so counting them gives the scores in
 * the window; all others are skipped.
 */
export function pageByScore(ids: Uint32Array, scores: Uint16Array, greatest: number, window: Window): Uint32Array {
  const { offset } = window;
  const end = Math.min(ids.length, offset + window.limit);
  if (offset >= end) return new Uint32Array(0);
  const counts = new Uint32Array(greatest + 1);
  for (let at = 0; at < scores.length; at++) counts[scores[at]]++;

  const starts = new Uint32Array(greatest + 1);
  let before = 0;
  let highest = greatest;
  let lowest = greatest;
  for (let score = greatest; score >= 0 && before < end; score--) {
    starts[score] = before;
    before += counts[score];
    lowest = score;
    if (before <= offset) highest = score - 1;
  }

  const page = new Uint32Array(end - offset);
  if (lowest === highest) {
    fillFromRun(page, ids, scores, { score: lowest, skip: offset - starts[lowest], count: counts[lowest] });
    return page;
  }
  for (let at = 0, missing = page.length; missing > 0; at++) {
    const score = scores[at];
    if (score < lowest || score > highest) continue;
    const position = starts[score]++;
    if (position < offset || position >= end) continue;
    page[position - offset] = ids[at];
    missing--;
  }
  return page;
}

/**
 * Deep in a list the whole page has one score, and a counter in a register is several times faster than one in memory.
 * Scans at most half of the run, from its nearer end.
 */
function fillFromRun(
  page: Uint32Array,
  ids: Uint32Array,
  scores: Uint16Array,
  { score, skip, count }: { score: number; skip: number; count: number },
): void {
  const end = skip + page.length;
  if (skip <= count - end) {
    for (let at = 0, position = 0; position < end; at++) {
      if (scores[at] !== score) continue;
      if (position >= skip) page[position - skip] = ids[at];
      position++;
    }
    return;
  }
  for (let at = scores.length - 1, position = count - 1; position >= skip; at--) {
    if (scores[at] !== score) continue;
    if (position < end) page[position - skip] = ids[at];
    position--;
  }
}

/**
 * By ascending key, then id. Counts keys in buckets of equal width and recursively splits those in the window, until
 * sorting the rest is cheap.
 */
export function pageByKey(ids: Uint32Array, keys: Float64Array, window: Window): Uint32Array {
  let { offset } = window;
  for (;;) {
    const { least, greatest } = extremesOf(keys);
    // Equal keys are already ordered by id.
    if (least === greatest) return ids.slice(offset, offset + window.limit);
    const scale = (BUCKETS - 1) / (greatest - least);
    if (ids.length <= SORTED_AT_ONCE || !Number.isFinite(scale)) break;

    const counts = new Uint32Array(BUCKETS);
    for (let at = 0; at < keys.length; at++) counts[Math.floor((keys[at] - least) * scale)]++;
    const { first, last, before, size } = bucketsOf(counts, { offset, limit: window.limit });
    if (size === ids.length) break;

    const bucketIds = new Uint32Array(size);
    const bucketKeys = new Float64Array(size);
    for (let at = 0, filled = 0; at < keys.length; at++) {
      const bucket = Math.floor((keys[at] - least) * scale);
      // One unsigned comparison for both bounds: of two branches, one is mispredicted half of the time deep in a list.
      if ((bucket - first) >>> 0 > last - first) continue;
      bucketIds[filled] = ids[at];
      bucketKeys[filled++] = keys[at];
    }
    ids = bucketIds;
    keys = bucketKeys;
    offset -= before;
  }
  const positions = Uint32Array.from(ids.keys()).sort((a, b) => keys[a] - keys[b] || a - b);
  return positions.subarray(offset, offset + window.limit).map((position) => ids[position]);
}

const BUCKETS = 1024;
const SORTED_AT_ONCE = 256;

function extremesOf(keys: Float64Array): { least: number; greatest: number } {
  let least = Infinity;
  let greatest = -Infinity;
  for (let at = 0; at < keys.length; at++) {
    if (keys[at] < least) least = keys[at];
    if (keys[at] > greatest) greatest = keys[at];
  }
  return { least, greatest };
}

function bucketsOf(counts: Uint32Array, { offset, limit }: Window) {
  let first = 0;
  let before = 0;
  while (first < counts.length - 1 && before + counts[first] <= offset) before += counts[first++];
  let last = first;
  let size = counts[first];
  while (last < counts.length - 1 && before + size < offset + limit) size += counts[++last];
  return { first, last, before, size };
}

/**
 * Ids by value: groups of equal values, ids ascending within each; `groups` contains their starts, including the end.
 */
export interface GroupedOrder {
  readonly order: Uint32Array;
  readonly groups: Uint32Array;
  readonly falling: boolean;
}

export function pageByOrder(
  isMatch: (id: number) => boolean,
  { order, groups, falling }: GroupedOrder,
  window: Window,
): Uint32Array {
  const { offset, limit } = window;
  const page: number[] = [];
  let passed = 0;
  const last = groups.length - 2;
  for (let step = 0; step <= last && page.length < limit; step++) {
    const group = falling ? last - step : step;
    for (let at = groups[group]; at < groups[group + 1] && page.length < limit; at++) {
      const id = order[at];
      if (isMatch(id) && passed++ >= offset) page.push(id);
    }
  }
  return Uint32Array.from(page);
}

/** The same when every item matches: computes the window's start. */
export function pageOfWholeOrder({ order, groups, falling }: GroupedOrder, { offset, limit }: Window): Uint32Array {
  if (!falling) return order.slice(offset, offset + limit);
  const page = new Uint32Array(Math.max(0, Math.min(limit, order.length - offset)));
  // From the end, a group's last position is one less than its end's.
  let group = gallop(groups, order.length - offset, 0) - 1;
  let at = groups[group] + offset - (order.length - groups[group + 1]);
  for (let position = 0; position < page.length; position++) {
    page[position] = order[at++];
    if (at === groups[group + 1]) at = groups[--group];
  }
  return page;
}
