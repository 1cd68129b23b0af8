import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { loadHead, readHead, trainHead } from "../src/index.ts";
import { bestShares } from "../src/head/calibration-rows.ts";
import { lexiconFor } from "../src/head/fit-model.ts";
import { LEXICON } from "../src/head/lexical.ts";
import { STEM_LEXICON } from "../src/head/lexical-stems.ts";
import { xorshift } from "../src/math/xorshift.ts";
import { examples, smallTrunk, TOPICS } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const routes = Object.keys(TOPICS).map((route) => ({ route }));

test("reads stems if most routes have many texts, however many texts one route has", () => {
  const labels = (counts: readonly number[]) =>
    counts.flatMap((count, route) => Array.from({ length: count }, () => route));
  assert.equal(lexiconFor(labels([20, 20, 20]), 3), STEM_LEXICON);
  assert.equal(lexiconFor(labels([20, 20, 2]), 3), STEM_LEXICON);
  assert.equal(lexiconFor(labels([500, 19, 19]), 3), LEXICON);
  assert.equal(lexiconFor([...labels([19, 19]), -1, -1], 2), LEXICON);
});

test("the lexical part alone is chosen where the dense part only adds noise, with few texts and with many", () => {
  const random = xorshift(9);
  const labels = Int32Array.from({ length: 90 }, (_, row) => row % 3);
  const unseenDense = Float64Array.from({ length: 270 }, () => 100 * random());
  const unseenPlus = Float64Array.from({ length: 270 }, (_, at) =>
    at % 3 === labels[Math.floor(at / 3)] ? 1 : random(),
  );
  const unseen = { unseenDense, unseenPlus, scope: new Float64Array(180), maskedScope: new Float64Array(180) };
  for (const readsStems of [false, true]) {
    const { shares } = bestShares(unseen, { labels, classes: 3, plus: "auto", readsStems });
    assert.deepEqual(shares, { dense: 0, plus: 1 });
  }
});

const few = examples().filter((_, index) => index % 4 === 0);
const fewHead = trainHead(trunk, { name: "few", routes, examples: few, plus: true });
const manyHead = trainHead(trunk, { name: "many", routes, examples: examples(), plus: true });

test("a head read from its file decides as it was trained, with few texts and with many", () => {
  for (const [{ bytes, rejected }, version, lexicon] of [
    [fewHead, 2, LEXICON],
    [manyHead, 3, STEM_LEXICON],
  ] as const) {
    assert.equal(rejected, null);
    assert.equal(Buffer.from(bytes).readUInt16LE(4), version);
    assert.equal(readHead(bytes, trunk.sha256).lexicon, lexicon);
    const head = loadHead(bytes, trunk);
    assert.equal(head.via, "plus");
    const right = few.filter(({ text, route }) => head.routes[head.decide(trunk.encode(text)).choice].route === route);
    assert.ok(right.length > 0.95 * few.length, `${right.length} of ${few.length}`);
    for (const { text } of few.slice(0, 20)) assertSumIsExact(head, text);
  }
});

test("a head has the same bytes in any order of its examples, with few texts and with many", () => {
  const fewAgain = trainHead(trunk, { name: "few", routes, examples: few.toReversed(), plus: true });
  assert.deepEqual(fewAgain.bytes, fewHead.bytes);
  const manyAgain = trainHead(trunk, { name: "many", routes, examples: examples().toReversed(), plus: true });
  assert.deepEqual(manyAgain.bytes, manyHead.bytes);
});

/** Runs in a separate thread, because compiled loops are kept. */
const WITHOUT_WASM = `
  const { parentPort, workerData } = require("node:worker_threads");
  let refused = 0;
  WebAssembly.validate = () => (refused++, false);
  (async () => {
    const { trainHead } = await import(workerData.index);
    const { smallTrunk } = await import(workerData.smallTrunk);
    const heads = workerData.inputs.map((input) => trainHead(smallTrunk(), input).bytes);
    parentPort.postMessage({ refused, heads });
  })();
`;

test("a head trained without WebAssembly has the same bytes, with few texts and with many", async () => {
  const inputs = [
    { name: "few", routes, examples: few, plus: true },
    { name: "many", routes, examples: examples(), plus: true },
  ];
  const [index, path] = ["../src/index.ts", "./support/small-trunk.ts"].map((file) => import.meta.resolve(file));
  const worker = new Worker(WITHOUT_WASM, { eval: true, workerData: { index, smallTrunk: path, inputs } });
  const [{ refused, heads }]: { refused: number; heads: Uint8Array[] }[] = await once(worker, "message");
  assert.ok(refused > 0);
  assert.deepEqual(
    heads,
    [fewHead.bytes, manyHead.bytes].map((bytes) => new Uint8Array(bytes)),
  );
});

function assertSumIsExact(head: ReturnType<typeof loadHead>, text: string): void {
  const encoding = trunk.encode(text);
  const { probabilities, choice } = head.decide(encoding);
  const versus = choice === 0 ? 1 : 0;
  const { logitDifference, bias, other, evidence } = head.explain(encoding, { choice, versus, most: 3 });
  const sum = evidence.reduce((total, { contribution }) => total + contribution, bias + other);
  assert.ok(Math.abs(sum - logitDifference) < 1e-9);
  // The probability of the other route may be too small to be represented.
  const expected = probabilities[choice] * Math.exp(-logitDifference);
  assert.ok(Math.abs(probabilities[versus] - expected) < 1e-12);
}
