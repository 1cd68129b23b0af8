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
 * By descending score, then id. A counting sort: scores are integers from 0 to `scoreMax`. The counts give the range of
 * scores on the page, and ids with other scores are skipped.
 */
export function pageByScore(ids: Uint32Array, scores: Uint16Array, scoreMax: number, window: Window): Uint32Array {
  const { offset } = window;
  const end = Math.min(ids.length, offset + window.limit);
  if (offset >= end) return new Uint32Array(0);
  const counts = new Uint32Array(scoreMax + 1);
  for (let at = 0; at < scores.length; at++) counts[scores[at]]++;

  const starts = new Uint32Array(scoreMax + 1);
  let before = 0;
  let highest = scoreMax;
  let lowest = scoreMax;
  for (let score = scoreMax; score >= 0 && before < end; score--) {
    starts[score] = before;
    before += counts[score];
    lowest = score;
    if (before <= offset) highest = score - 1;
  }

  const page = new Uint32Array(end - offset);
  for (let at = 0, remaining = page.length; remaining > 0; at++) {
    const score = scores[at];
    if (score < lowest || score > highest) continue;
    const position = starts[score]++;
    if (position < offset || position >= end) continue;
    page[position - offset] = ids[at];
    remaining--;
  }
  return page;
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
