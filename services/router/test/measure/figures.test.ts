import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  figuresAt,
  reliabilityBins,
  thresholdInterval,
  thresholdOf,
  type JudgedRow,
} from "../../src/measure/figures.ts";
import { exactInterval } from "../../src/measure/intervals.ts";
import { reliabilitySvg } from "../../src/measure/reliability-svg.ts";
import { seeded } from "../support/seeded.ts";

const row = (confidence: number, isRight: boolean, more: Partial<JudgedRow> = {}): JudgedRow => {
  return { choice: "a", label: isRight ? "a" : "b", confidence, isOffered: true, model: "m", ...more };
};
const rows = Array.from({ length: 400 }, (_, index) => row(1 - index / 500, index < 250 || index % 2 === 0));

describe("figures", () => {
  test("count answers at or above the threshold, by label", () => {
    const some = [
      row(0.9, true),
      row(0.8, false),
      row(0.7, false),
      row(0.99, false, { isOffered: false, label: null }),
    ];
    const { rows: count, answered, wrong, coverage, error_rate: rate, routes } = figuresAt(some, 0.8);
    assert.deepEqual([count, answered, wrong, coverage, rate], [4, 2, 1, 0.5, 0.5]);
    assert.deepEqual(routes, [
      { route: "(none)", rows: 1, answered: 0, wrong: 0 },
      { route: "a", rows: 1, answered: 1, wrong: 0 },
      { route: "b", rows: 2, answered: 1, wrong: 1 },
    ]);
  });

  test("the threshold is proven, lies within its interval, and increases with stricter error rates", () => {
    const loose = thresholdOf(rows, 0.1) ?? 2;
    const strict = thresholdOf(rows, 0.02) ?? 2;
    assert.ok(loose < strict && strict <= 1, `${loose} ${strict}`);
    const [low, high] = thresholdInterval(rows, 0.1);
    assert.ok((low ?? 2) <= loose && loose <= (high ?? 0));
    assert.equal(thresholdOf(rows, 0.001), null);
    assert.equal(
      thresholdOf(
        rows.map((item) => ({ ...item, isOffered: false })),
        0.1,
      ),
      null,
    );
  });

  test("the observed error on the same number of new rows stays within the target in 95 of 100 draws", () => {
    const random = seeded(31);
    const pool = Array.from({ length: 1200 }, () => {
      const confidence = 1 - random.next() ** 2;
      return row(confidence, random.next() < confidence);
    });
    for (const maxError of [0.05, 0.1, 0.2]) {
      const kept = Array.from({ length: 100 }, () => {
        const drawn = random.shuffle(pool);
        const threshold = thresholdOf(drawn.slice(0, 600), maxError) ?? 2;
        return figuresAt(drawn.slice(600), threshold).error_rate <= maxError;
      }).filter(Boolean).length;
      assert.ok(kept >= 95, `${kept} of 100 at ${maxError}`);
    }
  });

  test("exact intervals agree with published values", () => {
    const rounded = exactInterval({ count: 1, of: 10 }).map((value) => value.toFixed(4));
    assert.deepEqual(rounded, ["0.0025", "0.4450"]);
    assert.deepEqual(exactInterval({ count: 0, of: 0 }), [0, 1]);
    assert.equal(exactInterval({ count: 0, of: 20 })[0], 0);
  });

  test("the diagram has a bin per point, and escapes its title", () => {
    const svg = reliabilitySvg({ title: "<b>&", rows, threshold: 0.5, ece: 0.1 });
    assert.equal(svg.match(/<circle/g)?.length, reliabilityBins(rows).length);
    assert.ok(svg.includes("&lt;b&gt;&amp;") && !svg.includes("<b>"));
    assert.ok(!svg.includes("NaN"));
  });
});
