import assert from "node:assert/strict";
import { test } from "node:test";
import { SCORE_SIGNALS, scoreSignals } from "../src/features/score-features.ts";
import { SURFACE_SIGNALS, surfaceOf } from "../src/features/surface.ts";
import { smallTrunk } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const readBoth = (state: string) => {
  const encoding = trunk.encode(state);
  return { surface: [...surfaceOf(state, encoding)], signals: [...scoreSignals(state, encoding)] };
};

test("a problem of several sentences with amounts has a second set of signals", () => {
  const { surface, signals } = readBoth("Anna has 12 eggs. She sells 4 of them. How many are left?");
  assert.deepEqual(signals, [...surface, 1, ...surface]);
  assert.equal(signals.length, SCORE_SIGNALS.length);
});

test("a request has one set of signals, whatever its length and amounts", () => {
  for (const state of [
    "convert 12 miles to km and 4 pounds to kilos",
    "Open the file. Read it to me. Then close it again.",
    "",
  ]) {
    const { surface, signals } = readBoth(state);
    assert.deepEqual(signals, [...surface, ...Array.from({ length: 1 + SURFACE_SIGNALS.length }, () => 0)], state);
  }
});
