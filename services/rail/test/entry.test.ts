import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { canonicalJson, ENTRY_KINDS } from "@triptych/contracts";
import * as fc from "fast-check";
import { canonicalEntry, entryHash, shownEntry, type Entry } from "../src/domain/entry.ts";

const micro = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 });
const text = fc.option(fc.string({ unit: "grapheme" }));
const entry: fc.Arbitrary<Entry> = fc.record({
  walletId: fc.string(),
  id: fc.string({ unit: "grapheme" }),
  seq: fc.integer({ min: 1 }),
  kind: fc.constantFrom(...ENTRY_KINDS),
  amountMicro: micro,
  balanceAfterMicro: fc.nat(),
  chargeId: text,
  topupId: text,
  reverses: text,
  op: text,
  createdAt: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  prev: fc.stringMatching(/^[0-9a-f]{64}$/),
});

test("the hash of an entry is that of its canonical JSON without prev and the hash before it", () => {
  fc.assert(
    fc.property(entry, (one) => {
      const { prev: _, ...members } = shownEntry(one);
      assert.equal(canonicalEntry(one), canonicalJson(members));
      assert.equal(entryHash(one), hashByItsWords(one));
    }),
    { seed: 20_260_101, numRuns: 300 },
  );
});

test("the hash of an entry with a long reason is made the same way", () => {
  const long = { ...fc.sample(entry, { seed: 1, numRuns: 1 })[0], op: "€".repeat(2_000) };
  assert.equal(entryHash(long), hashByItsWords(long));
});

function hashByItsWords(one: Entry): string {
  const { prev: _, ...members } = shownEntry(one);
  const bytes = Buffer.concat([Buffer.from(canonicalJson(members)), Buffer.from(one.prev, "hex")]);
  return createHash("sha256").update(bytes).digest("hex");
}
