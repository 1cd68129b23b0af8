/** Corrections examine exactly the words within some edits. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { editDistance } from "@triptych/util";
import { buildStringTable, compareBytes } from "../src/domain/index/string-table.ts";
import { wordsWithin } from "../src/domain/index/words-within.ts";
import { seeded, type Random } from "./support/random.ts";

/** Letters of one to four bytes; few, so that words are near each other. */
const LETTERS = ["a", "b", "c", "é", "中", "𝒜"];

describe("words within some edits", () => {
  it("are all words of that distance and no others, with letters of any length in bytes", () => {
    const random = seeded(5);
    for (let round = 0; round < 200; round++) {
      const letters = LETTERS.slice(0, 2 + random.below(LETTERS.length - 1));
      const words = [...new Set(Array.from({ length: random.below(200) }, () => word(random, letters)))];
      words.sort(compareBytes);
      const target = word(random, letters);
      const most = random.below(4);
      const expected = words
        .map((found, position) => ({ position, edits: editDistance(found, target) }))
        .filter(({ edits }) => edits <= most);
      assert.deepEqual(wordsWithin(buildStringTable(words), target, most), expected, `${target} in ${words.join(" ")}`);
    }
  });
});

function word(random: Random, letters: readonly string[]): string {
  return Array.from({ length: 1 + random.below(8) }, () => random.pick(letters)).join("");
}
