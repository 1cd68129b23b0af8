import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOfText } from "../training/data-folder.ts";
import { collisions } from "../training/tasks/disjointness.ts";

test("a planted held-back text is found among training texts, however it is written", () => {
  const heldBack = new Set([hashOfText("How do I top up my card?")]);
  assert.equal(collisions(["how do i top-up my CARD", "where is my card", "ＨＯＷ do I top up my card!"], heldBack), 2);
  assert.equal(collisions(["where is my card"], heldBack), 0);
});
