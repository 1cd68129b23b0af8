import assert from "node:assert/strict";
import { test } from "node:test";
import { topOf } from "../src/calibration/confidence.ts";
import { fitDense } from "../src/head/fit-dense.ts";
import { loadHead, trainHead, type HeadExample } from "../src/index.ts";
import { xorshift } from "../src/math/xorshift.ts";
import { examples, smallTrunk, TOPICS } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const routes = Object.keys(TOPICS).map((route) => ({ route }));
const trained = trainHead(trunk, { name: "topics", routes, examples: examples() });
const head = loadHead(trained.bytes, trunk);

test("a head learns its routes from phrasings and describes itself", () => {
  assert.equal(trained.rejected, null);
  const { probabilities, choice, confidence } = head.decide(trunk.encode("could you please reset my password"));
  assert.equal(head.routes[choice].route, "password");
  assert.ok(confidence > 0.5 && confidence <= 1);
  assert.ok(Math.abs(probabilities.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
  assert.equal(head.size.denseBytes, 64 + 4 * (48 + 8));
  assert.deepEqual(
    head.routes.map(({ route, kind }) => [route, kind]),
    [
      ["chat", "chat"],
      ["password", "tool"],
      ["refund", "tool"],
      ["weather", "tool"],
    ],
  );
});

test("the same examples in any order give the same bytes", () => {
  const random = xorshift(11);
  const shuffled = examples()
    .map((example) => ({ example, sortKey: random() }))
    .toSorted((a, b) => a.sortKey - b.sortKey);
  const again = trainHead(trunk, {
    name: "topics",
    routes: routes.toReversed(),
    examples: shuffled.map(({ example }) => example),
  });
  assert.deepEqual(again.bytes, trained.bytes);
});

test("one row more than two batches does not weigh as much as a batch", () => {
  const random = xorshift(3);
  const [dims, classes] = [48, 4];
  const vectors = Float32Array.from({ length: 129 * dims }, () => (random() - 0.5) / 2);
  const lengthWith = (rows: number) => {
    const labels = Int32Array.from({ length: rows }, (_, row) => row % classes);
    const set = { vectors: vectors.subarray(0, rows * dims), labels, dims, classes };
    return Math.hypot(...fitDense(set, { epochs: 8, rate: 10, decay: 3e-5, scale: 20, batch: 64, seed: 1 }).weights);
  };
  const [whole, over] = [lengthWith(128), lengthWith(129)];
  assert.ok(over < 1.1 * whole, `${over} is much more than ${whole}`);
});

test("rejects random labels: there is no signal", () => {
  const random = xorshift(5);
  const meaningless: HeadExample[] = examples().map((example) => ({
    ...example,
    group: example.text,
    route: routes[Math.floor(random() * routes.length)].route,
  }));
  assert.equal(trainHead(trunk, { name: "noise", routes, examples: meaningless }).rejected, "no_signal");
});

test("reports texts with conflicting labels and uses the majority", () => {
  const disputed = [...examples(), { text: "Will it rain!", route: "refund" }];
  const { report } = trainHead(trunk, { name: "topics", routes, examples: disputed });
  assert.deepEqual(report["contradictions"], [{ text: "Will it rain!", routes: ["weather", "refund"] }]);
});

test("rejects an example of an unknown route instead of treating it as out of scope", () => {
  const stray = [...examples(), { text: "fly me to the moon", route: "travel" }];
  assert.throws(() => trainHead(trunk, { name: "topics", routes, examples: stray }), /"travel"/);
});

test("out-of-scope examples teach the head that no route fits", () => {
  const outside = [
    "the cat sat on the mat",
    "seven blue triangles",
    "quantum chromodynamics",
    "sonata in b flat",
    "knit two purl one",
    "the treaty of westphalia",
    "prime numbers are infinite",
    "a recipe for goulash",
    "left back midfielder",
    "tectonic plates drift",
  ];
  const scoped = trainHead(trunk, {
    name: "topics",
    routes,
    examples: [...examples(), ...outside.map((text) => ({ text, route: null }))],
  });
  const opened = loadHead(scoped.bytes, trunk);
  const inside = opened.decide(trunk.encode("reset my password")).scope;
  const other = opened.decide(trunk.encode("tectonic plates drift")).scope;
  assert.ok(inside !== null && other !== null && inside > other);
});

test("a choice among some routes is the full choice, renormalized", () => {
  const encoding = trunk.encode("refund my order");
  const all = head.decide(encoding);
  const some = head.decide(encoding, [0, 2]);
  assert.ok(Math.abs(some.probabilities[0] + some.probabilities[2] - 1) < 1e-12);
  assert.ok(
    Math.abs(some.probabilities[0] / some.probabilities[2] - all.probabilities[0] / all.probabilities[2]) < 1e-9,
  );
  assert.equal(some.probabilities[1], 0);
});

test("an explanation adds up to the logit difference, and each word has the right sign", () => {
  const random = xorshift(2);
  const words = examples().flatMap(({ text }) => text.split(" "));
  for (let round = 0; round < 300; round++) {
    const text = Array.from(
      { length: 1 + Math.floor(random() * 9) },
      () => words[Math.floor(random() * words.length)],
    ).join(" ");
    const context = random() < 0.3 ? "my account" : "";
    const encoding = trunk.encode(text, context);
    const { probabilities, choice } = head.decide(encoding);
    const versus = nextOf(probabilities, choice);
    const explanation = head.explain(encoding, { choice, versus, most: 3 });
    const listed = explanation.evidence.reduce((sum, { contribution }) => sum + contribution, 0);
    assert.ok(Math.abs(explanation.bias + listed + explanation.other - explanation.logitDifference) < 1e-9);
    const difference = Math.log(probabilities[choice]) - Math.log(probabilities[versus]);
    assert.ok(
      Math.abs(explanation.logitDifference - difference) < 1e-9,
      `${text}: ${explanation.logitDifference} for ${difference}`,
    );
    assert.ok(explanation.evidence.length <= 3);
  }
});

test("a text without tokens is decided by the biases alone", () => {
  const decision = head.decide(trunk.encode("… — “”"));
  assert.ok(decision.probabilities.every((p) => Number.isFinite(p)));
  assert.equal(topOf(decision.probabilities).choice, decision.choice);
});

function nextOf(probabilities: Float64Array, choice: number): number {
  const others = [...probabilities.keys()].filter((index) => index !== choice);
  return others.toSorted((a, b) => probabilities[b] - probabilities[a] || a - b)[0];
}
