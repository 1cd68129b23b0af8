/**
 * The page of a sorted list without sorting the list. All of these cost one or two passes over the matches whatever the offset,
 * so the last page is as cheap as the first. Ids always arrive in ascending order, which is the title order.
 */

export interface Window {
  readonly offset: number;
  readonly limit: number;
}

export function pageByTitle(ids: Uint32Array, { offset, limit }: Window): Uint32Array {
  return ids.slice(offset, offset + limit);
}

/**
 * By falling score, then id: scores are small integers (at most `greatest`), so counting them says where each score's run begins,
 * and which scores the window touches. All others are passed over without another look.
 */
export function pageByScore(ids: Uint32Array, scores: Uint16Array, greatest: number, window: Window): Uint32Array {
  const { offset } = window;
  const end = Math.min(ids.length, offset + window.limit);
  if (offset >= end) return new Uint32Array(0);
  const counts = new Uint32Array(greatest + 1);
  for (let at = 0; at < scores.length; at++) counts[scores[at]]++;

  const places = new Uint32Array(greatest + 1);
  let before = 0;
  let highest = greatest;
  let lowest = greatest;
  for (let score = greatest; score >= 0 && before < end; score--) {
    places[score] = before;
    before += counts[score];
    lowest = score;
    if (before <= offset) highest = score - 1;
  }

  const page = new Uint32Array(end - offset);
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at];
    if (score < lowest || score > highest) continue;
    const place = places[score]++;
    if (place >= offset && place < end) page[place - offset] = ids[at];
  }
  return page;
}

/** By rising key, then id. Reorders both arrays. */
export function pageByKey(ids: Uint32Array, keys: Float64Array, { offset, limit }: Window): Uint32Array {
  const end = Math.min(ids.length, offset + limit);
  if (offset >= end) return new Uint32Array(0);
  if (end < ids.length) partition(ids, keys, end, { from: 0, to: ids.length });
  if (offset > 0) partition(ids, keys, offset, { from: 0, to: end });
  const positions = Uint32Array.from({ length: end - offset }, (_, at) => offset + at);
  positions.sort((a, b) => keys[a] - keys[b] || ids[a] - ids[b]);
  return positions.map((position) => ids[position]);
}

/** Ids sorted by a value: groups of equal values, ascending ids within each; `groups` says where each begins, and the end. */
export interface GroupedOrder {
  readonly order: Uint32Array;
  readonly groups: Uint32Array;
  readonly falling: boolean;
}

/** Walks the order and keeps the window of those wanted; null wants all, and passes over groups before the window. */
export function pageByOrder(
  wanted: ((id: number) => boolean) | null,
  { order, groups, falling }: GroupedOrder,
  window: Window,
): Uint32Array {
  const { offset, limit } = window;
  const page: number[] = [];
  let passed = 0;
  const last = groups.length - 2;
  for (let step = 0; step <= last && page.length < limit; step++) {
    const group = falling ? last - step : step;
    const [start, end] = [groups[group], groups[group + 1]];
    if (wanted === null && passed + end - start <= offset) {
      passed += end - start;
      continue;
    }
    for (let at = start; at < end && page.length < limit; at++) {
      const id = order[at];
      if ((wanted === null || wanted(id)) && passed++ >= offset) page.push(id);
    }
  }
  return Uint32Array.from(page);
}

/** Quickselect: afterwards the `count` smallest pairs (key, id) of the range stand before all others. */
function partition(ids: Uint32Array, keys: Float64Array, count: number, range: { from: number; to: number }): void {
  let { from, to } = range;
  while (to - from > 1) {
    const middle = (from + to) >>> 1;
    const pivotKey = keys[middle];
    const pivotId = ids[middle];
    let low = from;
    let high = to - 1;
    while (low <= high) {
      while (isBefore(keys[low], ids[low], pivotKey, pivotId)) low++;
      while (isBefore(pivotKey, pivotId, keys[high], ids[high])) high--;
      if (low > high) break;
      swap(ids, low, high);
      swap(keys, low, high);
      low++;
      high--;
    }
    // [from, high] <= pivot <= [low, to): what lies between is the pivot itself.
    if (count <= high) to = high + 1;
    else if (count >= low) from = low;
    else return;
    if (count <= from || count >= to) return;
  }
}

function isBefore(key: number, id: number, otherKey: number, otherId: number): boolean {
  return key < otherKey || (key === otherKey && id < otherId);
}

function swap(array: Uint32Array | Float64Array, a: number, b: number): void {
  const kept = array[a];
  array[a] = array[b];
  array[b] = kept;
}
