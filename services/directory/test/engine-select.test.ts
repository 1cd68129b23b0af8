/** Selecting a page gives the same result as sorting everything. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pageByKey, pageByOrder, pageByScore, pageOfAll, type GroupedOrder } from "../src/domain/index/top-k-page.ts";
import { seeded, type Random } from "./support/random.ts";

const SIZES = [0, 1, 2, 255, 256, 257, 1000, 5000];

/** Each size with windows at the start, in the middle, at the end and beyond. */
function eachWindow(
  seed: number,
  visit: (random: Random, size: number, window: { offset: number; limit: number }) => void,
): void {
  const random = seeded(seed);
  for (const size of SIZES) {
    for (const offset of [0, 1, size >> 1, Math.max(0, size - 5), size, size + 10]) {
      for (const limit of [1, 20, 3000]) visit(random, size, { offset, limit });
    }
  }
}

/** Ascending, with gaps. */
function idsOf(random: Random, size: number): Uint32Array {
  let id = 0;
  return Uint32Array.from({ length: size }, () => (id += 1 + random.below(5)));
}

function sorted(
  ids: Uint32Array,
  before: (a: number, b: number) => number,
  { offset, limit }: { offset: number; limit: number },
): number[] {
  const positions = [...ids.keys()].sort((a, b) => before(a, b) || a - b);
  return positions.slice(offset, offset + limit).map((position) => ids[position]);
}

describe("a page by score", () => {
  it("is by descending score, then id, for few and many distinct scores", () => {
    eachWindow(1, (random, size, window) => {
      const ids = idsOf(random, size);
      const different = random.pick([1, 3, 500, 65_535]);
      const scores = Uint16Array.from(ids, () => 1 + random.below(different));
      assert.deepEqual(
        Array.from(pageByScore(scores, window), (at) => ids[at]),
        sorted(ids, (a, b) => scores[b] - scores[a], window),
      );
    });
  });
});

describe("a page by distance", () => {
  it("is by ascending key, then id, for spread, clustered, equal and nearly equal keys", () => {
    eachWindow(2, (random, size, window) => {
      const ids = idsOf(random, size);
      const draw = random.pick([
        () => random.next() * 1e-3,
        () => random.next() ** 20,
        () => random.below(3) * 1e-9,
        () => 0,
        () => (random.chance(0.001) ? 4 : random.next() * 1e-12),
        () => random.below(2) * Number.MIN_VALUE,
      ]);
      const keys = Float64Array.from(ids, draw);
      assert.deepEqual(
        [...pageByKey(ids, keys, window)],
        sorted(ids, (a, b) => keys[a] - keys[b], window),
      );
    });
  });
});

describe("a page by time", () => {
  it("is by ascending or descending time, then id, of all items or a subset", () => {
    eachWindow(3, (random, size, window) => {
      const ids = Uint32Array.from({ length: size }, (_, id) => id);
      const times = Array.from(ids, () => random.below(random.pick([1, 10, 10_000])));
      const order = Uint32Array.from(ids).sort((a, b) => times[a] - times[b] || a - b);
      const starts = [...order.keys()].filter((at) => at === 0 || times[order[at]] !== times[order[at - 1]]);
      const grouped: GroupedOrder = {
        order,
        groups: Uint32Array.from([...starts, size]),
        descending: random.chance(0.5),
      };
      const before = (a: number, b: number) =>
        grouped.descending ? times[ids[b]] - times[ids[a]] : times[ids[a]] - times[ids[b]];
      const all = [...ids].sort((a, b) => before(a, b) || a - b).slice(window.offset, window.offset + window.limit);
      assert.deepEqual([...pageOfAll(grouped, window)], all);
      const matching = ids.filter(() => random.chance(0.3));
      const isMatching = new Set(matching);
      const expected = [...matching]
        .sort((a, b) => before(a, b) || a - b)
        .slice(window.offset, window.offset + window.limit);
      assert.deepEqual([...pageByOrder((id) => isMatching.has(id), grouped, window)], expected);
    });
  });
});
