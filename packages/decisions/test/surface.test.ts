import assert from "node:assert/strict";
import { test } from "node:test";
import { countCharacters } from "../src/features/characters.ts";
import { SURFACE_SIGNALS, surfaceOf } from "../src/features/surface.ts";
import { loadTrunk } from "../src/trunk/trunk.ts";
import { trainSmallTrunk } from "./support/small-trunk.ts";

const trunk = loadTrunk(trainSmallTrunk());
const signalOf = (state: string, name: (typeof SURFACE_SIGNALS)[number]) =>
  surfaceOf(state, trunk.encode(state))[SURFACE_SIGNALS.indexOf(name)];

test("counts characters alike for Latin text and for any script", () => {
  for (const text of ["Wer, wenn ICH; x=1?\n[a]_b…", "", "ÉTÉ: «½» – fin?\n\n", "e = mc^2 {x|y} ~ \\"]) {
    const { present: _present, ...counts } = countCharacters(text);
    // A character of another script and of no kind forces the other code path.
    const { present: _all, ...counted } = countCharacters(`${text}漢`);
    assert.deepEqual(counts, counted, text);
  }
});

test("list markers, answers, spaces and numbers are detected within a text and on their own", () => {
  assert.equal(signalOf("A) one\nB) two\nC. three", "answers to choose from"), 1);
  assert.equal(signalOf("A one\nB two\nC three", "answers to choose from"), 0);
  for (const [state, name] of [
    ["• milk", "list markers"],
    ["* milk", "list markers"],
    ["2. milk", "list markers"],
    ["the capital is ____", "blanks to fill"],
    ["the capital is ....", "blanks to fill"],
    ["wait…", "sentences"],
    ["why?", "sentences"],
    ["x² is", "lines with numbers"],
    ["√x", "signs of formulas or programs"],
  ] as const)
    assert.ok(signalOf(state, name) > 0, `${name}: ${state}`);
});
