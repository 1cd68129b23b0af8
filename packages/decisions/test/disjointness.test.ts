import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ARTIFACTS, loadBundledModels } from "../src/bundled-models.ts";
import { hashOfText } from "../training/data-folder.ts";
import { runEvaluation } from "../training/run-evaluation.ts";
import { collisions } from "../training/tasks/disjointness.ts";
import { HELD_OUT_TEXT, smallData } from "./support/small-data.ts";

const folder = mkdtempSync(join(tmpdir(), "disjointness-"));
after(() => rmSync(folder, { recursive: true }));
const data = smallData(folder);
const shipped = loadBundledModels(ARTIFACTS);

test("finds a planted held-back text among training texts in any spelling", () => {
  const heldOut = new Set([hashOfText("How do I top up my card?")]);
  const learned = ["how do i top-up my CARD", "where is my card", "ＨＯＷ do I top up my card!"].map(hashOfText);
  assert.equal(collisions(learned, heldOut), 2);
  assert.equal(collisions([hashOfText("where is my card")], heldOut), 0);
});

test("the disjointness check fails the run for a held-back training text, and passes without it", () => {
  const planted = prove(["where is my card", `${HELD_OUT_TEXT.toUpperCase()}!`]);
  assert.deepEqual(
    planted.failures.map(({ what }) => what),
    ["disjointness"],
  );
  assert.match(planted.failures[0].why, /^1 training texts/);
  assert.equal(planted.tables["disjointness"].rows[0]["held_back"], 1);
  assert.deepEqual(prove(["where is my card"]).failures, []);
});

function prove(texts: readonly string[]) {
  const hashes = texts.map(hashOfText);
  return runEvaluation({
    data,
    testFolder: null,
    isTraining: () => false,
    learned: { byLearner: () => new Map([["trunk", hashes]]), all: () => new Set(hashes) },
    shipped,
    trunk: shipped.trunk,
    trunks: folder,
    randomTrunk: () => shipped.trunk,
    quick: true,
    seeds: [1],
    only: ["disjointness"],
    write: () => {},
    say: () => {},
    keep: () => {},
  });
}
