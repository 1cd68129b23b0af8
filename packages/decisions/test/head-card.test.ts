import assert from "node:assert/strict";
import { test } from "node:test";
import { headCard, readHead, recalibrateHead, rejectionIn, trainHead } from "../src/index.ts";
import { examples, smallTrunk, TOPICS } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const routes = Object.keys(TOPICS).map((route) => ({ route, description: `Everything about ${route}` }));
const disputed = [...examples(), { text: "will it rain", route: "refund" }, { text: "is it sunny", route: "chat" }];
const trained = trainHead(trunk, { name: "topics", routes, examples: disputed, seed: 4 });
const card = headCard(trained.bytes, trunk.sha256);

test("a card describes purpose, data, evaluation, errors and the hash of a head", () => {
  const { sha256 } = readHead(trained.bytes, trunk.sha256);
  for (const heading of ["Data", "Protocol and metrics", "Confidence thresholds", "Confusions", "Limits", "Hashes"])
    assert.match(card, new RegExp(`^## ${heading}$`, "m"));
  assert.match(card, /^# Head `topics`\n\nChooses one of 4 routes/);
  for (const part of [
    "Examples and phrasings of the head's owner",
    "5-fold grouped, cross-fitted",
    `| head file | sha256:${sha256} |`,
    `| trunk | sha256:${trunk.sha256} |`,
    "| seed | 4 |",
    "- 2 texts had conflicting labels",
    "- Out of scope was calibrated at a share of 0.2000, with 0 examples without a route, 0 background texts and",
  ])
    assert.ok(card.includes(part), part);
});

test("each route shows its own strongest words, not those common to all routes", () => {
  const words =
    /^\| weather \| tool \| 56 \| ([^|]+) \| Everything about weather \|$/m.exec(card)?.[1]?.split(" ") ?? [];
  assert.ok(words.length > 1 && words.length <= 8, words.join());
  assert.ok(words.includes("umbrella"), words.join());
  assert.ok(!words.includes("please"), words.join());
});

test("its figures are those of the report, with their interval", () => {
  const figure = (name: string) => {
    const value = trained.report[name];
    assert.ok(typeof value === "number");
    return Number.isInteger(value) ? String(value) : value.toPrecision(4);
  };
  assert.ok(card.includes(`| Accuracy | ${figure("accuracy")} |`));
  assert.ok(card.includes(`| Negative log likelihood | ${figure("nll")} |`));
  assert.match(card, /\| Calibration error \| [\d.e-]+ \| [\d.e-]+ to [\d.e-]+ \|/);
});

test("the card depends only on the bytes of the head", () => {
  assert.equal(headCard(trained.bytes, trunk.sha256), card);
  assert.throws(() => headCard(trained.bytes, "0".repeat(64)), { code: "trunk_mismatch" });
  assert.throws(() => headCard(trained.bytes.slice(0, -1), trunk.sha256), { name: "ArtifactError" });
});

test("names its sources with licenses, and the scope it was trained on", () => {
  const data = [{ name: "Phrasings of the team", licence: "Apache-2.0", rows: 256 }];
  const outside = ["seven blue triangles", "the cat sat on the mat", "quantum chromodynamics", "plates drift"];
  const scoped = [...examples(), ...outside.map((text) => ({ text, route: null }))];
  const { bytes } = trainHead(trunk, { name: "topics", routes, examples: scoped, data });
  const text = headCard(bytes, trunk.sha256);
  assert.ok(text.includes("| Phrasings of the team | Apache-2.0 | 256 |"));
  assert.ok(text.includes("at a share of 0.2000, with 4 examples without a route"));
  assert.match(text, /\| Scope detection, area under the ROC curve \| [\d.]+ \|/);
});

test("keeps markup and line ends of the owner as text", () => {
  const nasty = routes.map((item, index) =>
    index === 0 ? { ...item, description: "a | b\n# <b>*c*</b> [d](e) `f`" } : item,
  );
  const { bytes } = trainHead(trunk, { name: "topics", routes: nasty, examples: examples() });
  const row = headCard(bytes, trunk.sha256)
    .split("\n")
    .find((line) => line.startsWith("| weather |"));
  assert.match(row ?? "", /^\| weather \| tool \| 56 \| [a-z ]+ \| /);
  assert.ok(row?.endsWith("| a \\| b # \\<b\\>\\*c\\*\\</b\\> \\[d\\](e) \\`f\\` |"), row);
});

test("describes a recalibration: number of texts and effect", () => {
  const shifted = examples().map(({ text }, index) => ({ text, route: index % 3 === 0 ? "chat" : "weather" }));
  const { bytes } = recalibrateHead(trained.bytes, trunk, shifted);
  assert.ok(bytes !== null);
  const text = headCard(bytes, trunk.sha256);
  assert.match(text, /Recalibrated on 256 labelled texts from production use \(revision 2\)/);
  assert.ok(text.includes("| calibration revision | 2 |"));
  assert.ok(!card.includes("Recalibrated"));
});

test("rejects a report for bad and for missing figures", () => {
  const of = [{ texts: 60 }, { texts: 40 }];
  const report = { accuracy: 0.9, ece_ci95: [0.01, 0.2] };
  assert.equal(rejectionIn(report, of), null);
  assert.equal(rejectionIn({ ...report, accuracy: 0.7 }, of), "no_signal");
  assert.equal(rejectionIn({ ...report, accuracy: 0.75 }, of), null);
  assert.equal(rejectionIn({ ...report, accuracy: 0 }, of), "no_signal");
  assert.equal(rejectionIn({ ...report, accuracy: 1.5 }, of), "no_signal");
  assert.equal(rejectionIn({ ...report, ece_ci95: [0.0501, 0.2] }, of), "ece");
  assert.equal(rejectionIn({ accuracy: 0.9 }, of), "ece");
  assert.equal(rejectionIn({}, of), "no_signal");
  assert.equal(rejectionIn(report, [{ texts: 60 }]), "no_signal");
  assert.equal(rejectionIn({ ...report }, [{ texts: 0 }, { texts: 0 }]), "no_signal");
});

test("the report repeats the rejection of the training", () => {
  assert.equal(trained.rejected, rejectionIn(trained.report, readHead(trained.bytes, trunk.sha256).routes));
});
