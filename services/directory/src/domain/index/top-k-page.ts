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
 * Positions of a page by descending score, then position. Finds the first and the last score of the page by counting,
 * collects what is between them and sorts only that.
 */
export function pageByScore(scores: Uint16Array, window: Window): Uint32Array {
  const positions = positionsByScore(scores, window);
  const keys = new Float64Array(positions.length);
  for (let at = 0; at < keys.length; at++) keys[at] = rankKey(scores[positions[at]], positions[at]);
  return idsOfKeys(keys.sort());
}

/** Items by a byte of their score. Allocating them takes longer than counting a few hundred items. */
const highBytes = new Uint32Array(256);
const lowBytes = new Uint32Array(256);

/** The positions of `pageByScore` in ascending order. */
export function positionsByScore(scores: Uint16Array, { offset, limit }: Window): number[] {
  const end = Math.min(scores.length, offset + limit);
  if (offset >= end) return [];
  countHighBytes(scores);
  const highest = byteAt(highBytes, offset);
  const lowest = byteAt(highBytes, end - 1);
  countLowBytes(scores, lowest.byte);
  const last = scoreAt(lowest, end - 1);
  // The first and the last score of a page have mostly the same high byte.
  if (offset > 0 && highest.byte !== lowest.byte) countLowBytes(scores, highest.byte);
  const first = offset === 0 ? { score: SCORE_MAX, higher: 0 } : scoreAt(highest, offset);

  // Of equal scores, the lower positions come first: some are on earlier pages, some on later ones.
  let before = offset - first.higher;
  let equal = end - last.higher;
  const [most, least] = [first.score, last.score];
  const positions: number[] = [];
  for (let at = 0; positions.length < end - offset; at++) {
    const score = scores[at];
    if (score < least || score > most) continue;
    if (score === most && before-- > 0) continue;
    if (score === least && equal-- <= 0) continue;
    positions.push(at);
  }
  return positions;
}

function countHighBytes(scores: Uint16Array): void {
  highBytes.fill(0);
  for (let at = 0; at < scores.length; at++) highBytes[scores[at] >>> 8]++;
}

/** Of the scores with this high byte. */
function countLowBytes(scores: Uint16Array, high: number): void {
  lowBytes.fill(0);
  for (let at = 0; at < scores.length; at++) if (scores[at] >>> 8 === high) lowBytes[scores[at] & 0xff]++;
}

/** The score at a rank from the highest, whose high byte is counted in `lowBytes`, and the number of higher ones. */
function scoreAt(high: { byte: number; higher: number }, rank: number): { score: number; higher: number } {
  const low = byteAt(lowBytes, rank - high.higher);
  return { score: (high.byte << 8) | low.byte, higher: high.higher + low.higher };
}

function byteAt(counts: Uint32Array, rank: number): { byte: number; higher: number } {
  let byte = counts.length - 1;
  let higher = 0;
  while (higher + counts[byte] <= rank) higher += counts[byte--];
  return { byte, higher };
}

/** A number that sorts by descending score, then ascending id, its lower 32 bits. Exact below 53 bits. */
export function rankKey(score: number, id: number): number {
  return (RANKED_SCORE_MAX - score) * ID_COUNT + id;
}

export function idsOfKeys(keys: Float64Array): Uint32Array {
  const ids = new Uint32Array(keys.length);
  for (let at = 0; at < ids.length; at++) ids[at] = keys[at] >>> 0;
  return ids;
}

const SCORE_MAX = 0xffff;
const ID_COUNT = 2 ** 32;
/** Scores of names included. */
const RANKED_SCORE_MAX = 2 ** 20;

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

/** The page of `pageByOrder` when every id matches. */
export function pageOfAll({ order, groups, descending }: GroupedOrder, { offset, limit }: Window): Uint32Array {
  if (!descending) return order.slice(offset, offset + limit);
  const size = Math.max(0, Math.min(limit, order.length - offset));
  const page = new Uint32Array(size);
  let group = groupAt(groups, order.length - 1 - offset);
  let at = groups[group] + offset - (order.length - groups[group + 1]);
  for (let filled = 0; filled < size; filled++) {
    if (at === groups[group + 1]) at = groups[--group];
    page[filled] = order[at++];
  }
  return page;
}

/** The group that contains a position of the order. */
function groupAt(groups: Uint32Array, position: number): number {
  let low = 0;
  let high = groups.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (groups[middle] <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
