import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { loadBackground } from "../src/background/background.ts";
import { loadHead, normaliseText, readHead, trainHead } from "../src/index.ts";
import { areaUnderRoc, mean } from "../src/evaluate/metrics.ts";
import { mixOutside, nearestBackground } from "../src/head/out-of-scope.ts";
import { isWord, packReference, openReference, unknownShare } from "../src/head/scope-reference.ts";
import { addedExamples } from "../src/head/added-examples.ts";
import { examples, smallTrunk, TOPICS } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const routes = Object.keys(TOPICS).map((route) => ({ route }));
const background = loadBackground().slice(0, 300);

test("the weights of a mixture are those of its share, however many rows there are of each kind", () => {
  const mixes = fc.record({
    inside: fc.integer({ min: 1, max: 500 }),
    routes: fc.integer({ min: 2, max: 40 }),
    own: fc.nat({ max: 50 }),
    background: fc.nat({ max: 60 }),
    share: fc.double({ min: 0, max: 0.9, noNaN: true }),
  });
  fc.assert(
    fc.property(mixes, (input) => {
      const mix = mixOutside(input);
      const weight = mix.backgroundWeight * input.background + mix.maskedWeight * input.inside;
      const outside = Math.max(0, (input.inside * input.share) / (1 - input.share) - input.own);
      assert.ok(Math.abs(weight - outside) < 1e-6);
      assert.ok(mix.backgroundRows <= input.background && mix.maskedRows <= input.inside);
      assert.ok(mix.backgroundRows + mix.maskedRows <= Math.round(outside) + 1e-9);
    }),
  );
});

test("with few texts per route, only background texts near the routes are used", () => {
  const cosines = [0.1, 0.9, 0.2, 0.8, 0.3, 0.7];
  assert.deepEqual(nearestBackground(cosines, { inside: 20, routes: 4, share: 0.2 }), [1, 3]);
  assert.equal(nearestBackground(cosines, { inside: 8000, routes: 4, share: 0.2 }).length, 6);
  const few = mixOutside({ inside: 20, routes: 4, own: 0, background: 2, share: 0.2 });
  const many = mixOutside({ inside: 8000, routes: 4, own: 0, background: 6, share: 0.2 });
  assert.ok(many.maskedWeight * 8000 < few.maskedWeight * 20 * 40);
});

test("uses the nearest background texts: as many as there are examples, 300, or as the share requires", () => {
  const cosines = Float64Array.from({ length: 9000 }, (_, index) => index);
  const used = (inside: number, share: number) => nearestBackground(cosines, { inside, routes: 4, share });
  assert.equal(used(20, 0.2).length, 300);
  assert.equal(used(500, 0.2).length, 500);
  assert.equal(used(500, 0.8).length, 2000);
  assert.ok(used(20, 0.2).every((index) => index >= 6000));
  assert.ok(used(20, 0.2).some((index) => index < 6020));
});

test("every word of the training texts is known, and few others are", () => {
  const words = new Set(Array.from({ length: 500 }, (_, index) => `word${index}`));
  const reference = packReference(new Float64Array(trunk.dims), 1, words);
  const scope = (tokens: readonly string[]) =>
    openReference(reference).scopeFeatures({ vector: new Float64Array(trunk.dims), tokens })[1];
  assert.equal(scope([...words]), -0);
  const others = Array.from({ length: 1000 }, (_, index) => `other${index}`);
  assert.ok(scope(others) < -0.95, `${scope(others)}`);
  assert.deepEqual(["refund", "ça", "где", "00", "?", "€", "£"].map(isWord), [
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  assert.equal(
    unknownShare(["00", "?"], () => true),
    1,
  );
});

test("without out-of-scope examples, a head recognizes out-of-scope requests by the background texts", () => {
  const taught = examples().filter((_, index) => index % 3 !== 0);
  const head = loadHead(trainHead(trunk, { name: "topics", routes, examples: taught, background }).bytes, trunk);
  const confidenceOf = ({ text }: { readonly text: string }) => head.decide(trunk.encode(text)).confidence;
  const inside = examples()
    .filter((_, index) => index % 3 === 0)
    .map(confidenceOf);
  const outside = loadBackground().slice(300, 600).map(confidenceOf);
  assert.ok(areaUnderRoc(inside, outside) > 0.9, `${areaUnderRoc(inside, outside)}`);
  assert.ok(mean(inside) > mean(outside) + 0.3, `${mean(inside)} and ${mean(outside)}`);
});

test("a share of 0 calibrates on the examples only", () => {
  const { bytes, report } = trainHead(trunk, {
    name: "topics",
    routes,
    examples: examples(),
    background,
    outOfScopeShare: 0,
  });
  assert.equal(readHead(bytes, trunk.sha256).calibration.scope, null);
  assert.deepEqual(report["scope"], { share: 0, examples: 0, background: 0, masked_examples: 0 });
});

test("a larger share lowers the confidence of a text but does not change its choice", () => {
  const decided = [0.1, 0.4, 0.7].map((outOfScopeShare) => {
    const input = { name: "topics", routes, examples: examples(), background, outOfScopeShare };
    return loadHead(trainHead(trunk, input).bytes, trunk).decide(trunk.encode("an order"));
  });
  assert.equal(new Set(decided.map(({ choice }) => choice)).size, 1);
  assert.ok(decided[0].confidence > decided[1].confidence && decided[1].confidence > decided[2].confidence);
});

const FRAMED_NAME = ["please refund", "hi, refund", "can you tell me refund"];

test("a route of two texts is also trained on framed texts and its name, which are not counted", () => {
  const few = examples().filter(
    ({ route }, index, all) => route !== "refund" || all.findIndex((e) => e.route === route) + 2 > index,
  );
  const { bytes, report } = trainHead(trunk, { name: "topics", routes, examples: few });
  const head = readHead(bytes, trunk.sha256);
  assert.equal(head.routes.find(({ route }) => route === "refund")?.texts, 2);
  assert.equal(report["n"], new Set(few.map(({ text }) => normaliseText(text))).size);
  const one = { text: "refund it", context: "", group: "refund it", lang: null };
  assert.deepEqual(
    addedExamples(
      [
        { ...one, route: 0 },
        { ...one, route: -1 },
      ],
      [{ route: "refund" }],
    ).map(({ text }) => text),
    ["refund", "please refund it", "hi, refund it", "can you tell me refund it", ...FRAMED_NAME],
  );
});

test("below 20 texts, the name of a route is an additional text, and below 5 its description is one too", () => {
  const added = (count: number) =>
    addedExamples(
      Array.from({ length: count }, (_, n) => ({ text: "a b", context: "", route: 0, group: String(n), lang: null })),
      [{ route: "refund_order", description: "reimburse the buyer" }],
    )
      .filter(({ source }) => source === null)
      .map(({ text }) => text);
  assert.deepEqual(added(4).slice(0, 2), ["refund order", "reimburse the buyer"]);
  assert.equal(added(4).length, 8, "in three frames each, too");
  assert.deepEqual(added(19), ["refund order"]);
  assert.deepEqual(added(20), []);
});

test("a description changes a head of very few texts", () => {
  const few = Object.keys(TOPICS).flatMap((route) =>
    examples()
      .filter((each) => each.route === route)
      .slice(0, 3),
  );
  const bytesOf = (description: string) =>
    trainHead(trunk, { name: "topics", routes: routes.map((each) => ({ ...each, description })), examples: few }).bytes;
  assert.notDeepEqual(bytesOf("an order"), bytesOf(""));
});
