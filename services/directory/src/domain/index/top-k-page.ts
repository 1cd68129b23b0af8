/**
 * Select one page of the sorted matches without sorting all of them. The ids passed in are ascending, which is the order
 * of titles.
 */
export interface Window {
  readonly offset: number;
  readonly limit: number;
}

export function pageByTitle(ids: Uint32Array, { offset, limit }: Window): Uint32Array {
  return ids.slice(offset, offset + limit);
}

/**
 * Positions of a page by descending score, then position. A counting sort: the counts give the range of scores on the
 * page, and positions with other scores are skipped.
 */
export function pageByScore(scores: Uint16Array, { offset, limit }: Window): Uint32Array {
  const end = Math.min(scores.length, offset + limit);
  if (offset >= end) return new Uint32Array(0);
  for (let at = 0; at < scores.length; at++) {
    counts[scores[at]]++;
    blockCounts[scores[at] >>> BLOCK_BITS]++;
  }
  const { highest, lowest } = countBefore(offset, end);
  const page = new Uint32Array(end - offset);
  for (let at = 0, remaining = page.length; remaining > 0; at++) {
    const score = scores[at];
    if (score < lowest || score > highest) continue;
    const position = counts[score]++;
    if (position < offset || position >= end) continue;
    page[position - offset] = at;
    remaining--;
  }
  blockCounts.fill(0);
  if (scores.length >= counts.length) counts.fill(0);
  else for (let at = 0; at < scores.length; at++) counts[scores[at]] = 0;
  return page;
}

/**
 * By score, and by block of scores, because few scores occur. All zero between calls: new arrays of this size would take
 * longer than most pages.
 */
const counts = new Uint32Array(1 << 16);
const BLOCK_BITS = 5;
const blockCounts = new Uint32Array(counts.length >>> BLOCK_BITS);

/** Replaces the counts of the scores from position `offset` to `end` by the number of higher scores. */
function countBefore(offset: number, end: number): { readonly highest: number; readonly lowest: number } {
  let before = 0;
  let highest = counts.length - 1;
  let lowest = highest;
  for (let block = blockCounts.length - 1; block >= 0 && before < end; block--) {
    const first = block << BLOCK_BITS;
    if (before + blockCounts[block] <= offset) {
      before += blockCounts[block];
      highest = first - 1;
      continue;
    }
    for (let score = first + (1 << BLOCK_BITS) - 1; score >= first && before < end; score--) {
      const count = counts[score];
      if (count === 0) continue;
      counts[score] = before;
      before += count;
      lowest = score;
      if (before <= offset) highest = score - 1;
    }
  }
  return { highest, lowest };
}

/**
 * By ascending key, then id. Counts the keys in buckets of equal width and keeps only the buckets on the page. Repeats
 * this until few enough ids are left to sort.
 */
export function pageByKey(ids: Uint32Array, keys: Float64Array, window: Window): Uint32Array {
  let { offset } = window;
  for (;;) {
    const { least, greatest } = extremesOf(keys);
    // Equal keys are already ordered by id.
    if (least === greatest) return ids.slice(offset, offset + window.limit);
    const scale = (BUCKETS - 1) / (greatest - least);
    if (ids.length <= SORT_SIZE_MAX || !Number.isFinite(scale)) break;

    const counts = new Uint32Array(BUCKETS);
    for (let at = 0; at < keys.length; at++) counts[Math.floor((keys[at] - least) * scale)]++;
    const { first, last, before, size } = bucketsOf(counts, { offset, limit: window.limit });
    if (size === ids.length) break;

    const bucketIds = new Uint32Array(size);
    const bucketKeys = new Float64Array(size);
    for (let at = 0, filled = 0; at < keys.length; at++) {
      const bucket = Math.floor((keys[at] - least) * scale);
      // One unsigned comparison checks both bounds: deep in a list, a second branch would be mispredicted half the time.
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
const SORT_SIZE_MAX = 256;

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

/** All ids, grouped by equal value. Ids ascend within a group, whatever the direction. */
export interface GroupedOrder {
  /** Ids by ascending value. */
  readonly order: Uint32Array;
  /** Position in `order` at which each group starts, then the length of `order`. */
  readonly groups: Uint32Array;
  /** Whether groups are read from the last to the first. */
  readonly descending: boolean;
}

export function pageByOrder(
  isMatch: (id: number) => boolean,
  { order, groups, descending }: GroupedOrder,
  window: Window,
): Uint32Array {
  const { offset, limit } = window;
  const page: number[] = [];
  let matches = 0;
  const last = groups.length - 2;
  for (let step = 0; step <= last && page.length < limit; step++) {
    const group = descending ? last - step : step;
    for (let at = groups[group]; at < groups[group + 1] && page.length < limit; at++) {
      const id = order[at];
      if (isMatch(id) && matches++ >= offset) page.push(id);
    }
  }
  return Uint32Array.from(page);
}
