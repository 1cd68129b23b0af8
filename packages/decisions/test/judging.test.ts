import assert from "node:assert/strict";
import { test } from "node:test";
import { riskCurve, thresholdFor } from "../src/calibration/risk.ts";
import { xorshift } from "../src/math/xorshift.ts";
import { DISTURBANCES, disturbed } from "../training/perturbed-texts.ts";
import { drawnFolds } from "../training/folds.ts";
import { majorityOf, overSeeds } from "../training/judge-head.ts";
import { trainOnTrunk, trainTfidf, trainWords } from "../training/linear-baselines.ts";
import { randomTrunkLike } from "../training/random-trunk.ts";
import { printTable } from "../training/table.ts";
import { mixedFigures } from "../training/tasks/mixed-risk.ts";
import { riskFigures, promiseRate } from "../training/tasks/risk-coverage.ts";
import { figuresOfScope } from "../training/tasks/scope.ts";
import { testNames } from "../training/test-folder.ts";
import { loadTrunk } from "../src/trunk/trunk.ts";
import { TOPICS, trainSmallTrunk } from "./support/small-trunk.ts";

const rows = Object.entries(TOPICS).flatMap(([label, texts]) => texts.map((text) => ({ text, label })));

test("every baseline learns its labels, and the untrained trunk has the size of the trained one", () => {
  const bytes = trainSmallTrunk();
  const random = randomTrunkLike(bytes);
  assert.equal(random.dims, loadTrunk(bytes).dims);
  assert.notEqual(random.sha256, loadTrunk(bytes).sha256);
  for (const { labels, decide } of [trainTfidf(rows), trainWords(rows), trainOnTrunk(random, rows)]) {
    assert.deepEqual(labels, ["chat", "password", "refund", "weather"]);
    const right = rows.filter(({ text, label }) => {
      const p = decide(text);
      assert.ok(Math.abs(p.reduce((sum, value) => sum + value, 0) - 1) < 1e-9);
      return labels[p.indexOf(Math.max(...p))] === label;
    });
    assert.ok(right.length > 0.9 * rows.length, String(right.length));
  }
});

test("the AUROC of scope detection is 1 if all out-of-scope rows score below the others, and 0 if all score above", () => {
  const within = Array.from({ length: 100 }, (_, index) => ({ score: 0.5 + index / 200, right: index % 10 !== 0 }));
  const apart = figuresOfScope(within, [0.1, 0.2, 0.3]);
  assert.deepEqual([apart.auroc, apart.fpr95, apart.inScopeAt85], [1, 0, 0.9]);
  const swapped = figuresOfScope(within, [2, 3, 4]);
  assert.deepEqual([swapped.auroc, swapped.fpr95, swapped.inScopeAt85], [0, 1, 0]);
});

test("a tested threshold holds more often than an untested one, and is absent for too few rows", () => {
  const random = xorshift(7);
  const confidence = Array.from({ length: 1500 }, () => random());
  const right = confidence.map((p) => (random() < p ? 1 : 0));
  const seen = riskFigures({ confidence, right }, { errorRate: 0.1, draws: 100 });
  assert.ok(Number(seen["met"]) >= 0.9, String(seen["met"]));
  assert.ok(Number(seen["met"]) > Number(seen["untested_met"]));
  assert.ok(Number(seen["coverage"]) > 0);
  const few = riskFigures(
    { confidence: confidence.slice(0, 20), right: right.slice(0, 20) },
    { errorRate: 0.1, draws: 20 },
  );
  assert.deepEqual([few["without"], few["coverage"], few["met"]], [1, 0, 1]);
});

test("the guarantee is about the error rate of all rows, and holds in 95 of 100 calibrations rather than in each", () => {
  const random = xorshift(7);
  const confidence = Array.from({ length: 1500 }, () => random());
  const right = confidence.map((p) => (random() < p ? 1 : 0));
  const rate = promiseRate({ confidence, right }, { errorRate: 0.1, draws: 100 });
  assert.ok(rate >= 0.95 && rate < 1, String(rate));
});

test("with out-of-scope rows, a threshold calibrated without them violates max_error, and one calibrated on a sample does not", () => {
  const random = xorshift(11);
  const inside = Array.from({ length: 900 }, () => Math.sqrt(random()));
  const outside = Array.from({ length: 600 }, () => 0.75 * random());
  const confidence = [...inside, ...outside];
  const right = [...inside.map((p) => (random() < Math.sqrt(p) ? 1 : 0)), ...outside.map(() => 0)];
  const own = thresholdFor(riskCurve(inside, right.slice(0, inside.length)), 0.1);
  const seen = mixedFigures({ confidence, right }, { errorRate: 0.1, draws: 50, own });
  assert.ok(seen.own_met < 0.1, String(seen.own_met));
  // Both the calibration rows and the test rows vary, so a guarantee of 95 % holds in fewer draws.
  assert.ok(seen.met >= 0.8, String(seen.met));
  assert.ok(seen.coverage > 0 && seen.coverage < seen.own_coverage, String(seen.coverage));
});

test("perturbs a text in exactly one way, deterministically", () => {
  const text = "Could you please reimburse me, for order 12?";
  for (const how of DISTURBANCES) {
    assert.equal(disturbed(text, how), disturbed(text, how));
    assert.notEqual(disturbed(text, how), text);
  }
  assert.equal(disturbed("a to me 12", "typos"), "a to me 12");
  assert.equal(disturbed(text, "no marks"), "Could you please reimburse me  for order 12");
  assert.equal(disturbed(text, "first half"), "Could you please reimburse");
});

test("random folds split no group, have similar sizes, and differ between seeds", () => {
  const groups = Array.from({ length: 300 }, (_, row) => `group ${row % 60}`);
  const folds = drawnFolds(groups, 3, 1);
  for (const [row, group] of groups.entries()) assert.equal(folds[row], folds[groups.indexOf(group)]);
  for (const fold of [0, 1, 2]) assert.equal(folds.filter((other) => other === fold).length, 100);
  assert.notDeepEqual(drawnFolds(groups, 3, 2), folds);
});

test("several seeds have a mean and a spread, one seed has only a mean, and no seeds have neither", () => {
  assert.deepEqual(Object.fromEntries(overSeeds("ece", [1, 3])), { ece: 2, ece_sd: Math.SQRT2 });
  assert.deepEqual(Object.fromEntries(overSeeds("ece", [1])), { ece: 1, ece_sd: null });
  assert.deepEqual(Object.fromEntries(overSeeds("ece", [])), { ece: null, ece_sd: null });
  assert.equal(majorityOf(["a", "b", "a", null]), 0.5);
});

test("a held-back split is found by its name, with common suffixes, and if it is compressed", () => {
  assert.deepEqual(testNames("intents/X/test.jsonl"), ["intents/X/test.jsonl", "intents/X/test.jsonl.gz"]);
  const names = testNames("choice/bfcl_live_multiple_test.jsonl");
  assert.equal(names[0], "choice/bfcl_live_multiple_test.jsonl");
  for (const ending of ["_test.jsonl.gz", "_heldout.jsonl", ".jsonl"])
    assert.ok(names.includes(`choice/bfcl_live_multiple${ending}`), ending);
});

test("rejects a table wider than a terminal, except for a last word that exceeds its column", () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  assert.throws(() => printTable([{ key: "a", title: "a", width: 101 }], write), /exceeds 100/);
  const print = printTable(
    [
      { key: "a", title: "a", width: 5 },
      { key: "b", title: "b", width: 5, as: "share" },
      { key: "c", title: "c", width: 5, as: "figure" },
    ],
    write,
  );
  print({ a: "one", b: "held back" });
  print({ a: "longer", b: 0.5, c: null });
  assert.deepEqual(lines, ["a    b    c\n", "one  held back\n", "long 50.0 -\n"]);
});
