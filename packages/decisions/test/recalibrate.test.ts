import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadHead, readHead, recalibrateHead, trainHead, type FeedbackText } from "../src/index.ts";
import { encodeSparse } from "../src/head/sparse-codec.ts";
import { xorshift } from "../src/math/xorshift.ts";
import { examples, smallTrunk, TOPICS } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const routes = Object.keys(TOPICS).map((route) => ({ route }));
const outside = ["seven blue triangles", "the cat sat on the mat", "quantum chromodynamics", "tectonic plates drift"];
const taught = [
  ...examples(),
  ...outside.flatMap((text) =>
    ["", "so ", "well, "].map((start) => ({ text: start + text, route: null, group: text })),
  ),
];
const { bytes } = trainHead(trunk, { name: "topics", routes, examples: taught });
const head = loadHead(bytes, trunk);
const WORDS = [...new Set(taught.flatMap(({ text }) => text.split(" ")))].toSorted();

/** Random sequences of words known to the trunk. */
function randomTexts(seed: number, count: number): string[] {
  const random = xorshift(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(random() * 8) }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" "),
  );
}

/** Labels from the head, except for a given share. */
function feedback(seed: number, count: number, wrongShare: number): FeedbackText[] {
  const random = xorshift(seed);
  return randomTexts(seed + 1, count).map((text) => {
    const { choice } = head.decide(trunk.encode(text));
    const isWrong = random() < wrongShare;
    const other = Math.floor(random() * (routes.length + 1));
    return { text, route: isWrong ? (head.routes[other]?.route ?? null) : head.routes[choice].route };
  });
}

describe("a head that is recalibrated", () => {
  test("never changes its choice, among all or some routes, whatever the feedback", () => {
    let refittedCount = 0;
    for (const [seed, wrongShare] of [0, 0.1, 0.3, 0.5, 0.8, 1].entries()) {
      const recalibrated = recalibrateHead(bytes, trunk, feedback(seed + 1, 150, wrongShare));
      if (recalibrated.bytes === null) continue;
      refittedCount++;
      const next = loadHead(recalibrated.bytes, trunk);
      for (const [index, text] of randomTexts(100 + seed, 300).entries()) {
        const encoding = trunk.encode(text);
        const among = [[0, 1], [1, 3], [0, 2, 3], undefined][index % 4];
        const [was, is] = [head.decide(encoding, among), next.decide(encoding, among)];
        assert.equal(is.choice, was.choice, text);
        assert.deepEqual([is.scope, is.outOfScope], [was.scope, was.outOfScope], text);
        assert.ok(is.set.includes(is.choice));
      }
    }
    assert.ok(refittedCount >= 3, `${refittedCount} of 6 were kept`);
  });

  test("is kept only if neither likelihood nor calibration error is worse, with the next revision and the same weights", () => {
    const { bytes: refitted, rows, nll, ece } = recalibrateHead(bytes, trunk, feedback(3, 200, 0.4));
    assert.ok(refitted !== null);
    assert.equal(rows, 200);
    assert.ok(nll.after <= nll.before && ece.after <= ece.before);
    const [was, is] = [readHead(bytes, trunk.sha256), readHead(refitted, trunk.sha256)];
    assert.equal(is.calibration.revision, was.calibration.revision + 1);
    const weightsOf = ({ dense, plus }: typeof was) => [dense, plus && encodeSparse(plus, routes.length)];
    assert.deepEqual([weightsOf(is), is.routes], [weightsOf(was), was.routes]);
    assert.deepEqual(is.card["recalibration"], { rows, nll, ece });
    assert.notDeepEqual(is.calibration.risk, was.calibration.risk);
    assert.equal(is.calibration.alpha, was.calibration.alpha);
  });

  test("lowers its confidence after more errors than expected", () => {
    const { bytes: refitted } = recalibrateHead(bytes, trunk, feedback(3, 400, 0.5));
    assert.ok(refitted !== null);
    const next = loadHead(refitted, trunk);
    const meanOf = (candidate: typeof head) => {
      const sure = randomTexts(9, 100).map((text) => candidate.decide(trunk.encode(text)).confidence);
      return sure.reduce((sum, confidence) => sum + confidence, 0) / sure.length;
    };
    assert.ok(meanOf(next) < meanOf(head));
  });

  test("stays unchanged if the rows add no information or have unknown routes", () => {
    const again = recalibrateHead(bytes, trunk, examples());
    const same = recalibrateHead(again.bytes ?? bytes, trunk, examples());
    assert.equal(same.bytes, null);
    const strange = recalibrateHead(bytes, trunk, [{ text: "fly me to the moon", route: "travel" }]);
    assert.deepEqual([strange.bytes, strange.rows], [null, 0]);
  });

  test("is deterministic for the same rows", () => {
    const rows = feedback(5, 200, 0.4);
    assert.deepEqual(recalibrateHead(bytes, trunk, rows), recalibrateHead(bytes, trunk, rows));
  });
});
