import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { canonicalJson, ENTRY_KINDS } from "@triptych/contracts";
import * as fc from "fast-check";
import { canonicalEntry, entryHash, toEntryResponse, type JournalEntry } from "../src/domain/entry.ts";

const micro = fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 });
const text = fc.option(fc.string({ unit: "grapheme" }));
const entry: fc.Arbitrary<JournalEntry> = fc.record({
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
  tokenId: fc.option(fc.string({ unit: "grapheme" })),
});

test("hashes an entry as its canonical JSON without prev, followed by the previous hash", () => {
  fc.assert(
    fc.property(entry, (journalEntry) => {
      const { prev: _, ...members } = toEntryResponse(journalEntry);
      assert.equal(canonicalEntry(journalEntry), canonicalJson(members));
      assert.equal(entryHash(journalEntry), hashFromJson(journalEntry));
    }),
    { seed: 20_260_101, numRuns: 300 },
  );
});

test("hashes an entry with a long reason in the same way", () => {
  const long = { ...fc.sample(entry, { seed: 1, numRuns: 1 })[0], op: "€".repeat(2_000) };
  assert.equal(entryHash(long), hashFromJson(long));
});

function hashFromJson(journalEntry: JournalEntry): string {
  const { prev: _, ...members } = toEntryResponse(journalEntry);
  const bytes = Buffer.concat([Buffer.from(canonicalJson(members)), Buffer.from(journalEntry.prev, "hex")]);
  return createHash("sha256").update(bytes).digest("hex");
}
