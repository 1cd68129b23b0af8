/** Any sequence of publications, against a model. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { createPublishedVersions } from "../../src/store/published-versions.ts";
import { lockInProcess } from "../../src/store/publish-lock.ts";
import { DIRECTORY_MIGRATIONS, type StoreTables } from "../../src/store/tables.ts";
import { finish } from "../support/publish-versions.ts";
import { collected, storedItem } from "../support/stored-item.ts";

/** Few sequences of publications, because PGlite is slow. */
const RUNS = process.env["TEST_LONG"] === undefined ? { sqlite: 15, postgres: 2 } : { sqlite: 100, postgres: 8 };

describe("any sequence of publications", () => {
  // The expected state of each version is a simple Map.
  const id = fc.constantFrom("a", "b", "c", "d", "e");
  const operation = fc.oneof(
    fc.record({
      kind: fc.constant("put" as const),
      rows: fc.array(fc.record({ id, title: fc.constantFrom("x", "y") }), { maxLength: 6 }),
      clear: fc.boolean(),
    }),
    fc.record({ kind: fc.constant("restore" as const), back: fc.integer({ min: 0, max: 4 }) }),
    fc.record({
      kind: fc.constant("fail" as const),
      rows: fc.array(fc.record({ id, title: fc.constantFrom("x", "y") }), { maxLength: 4 }),
      clear: fc.boolean(),
    }),
  );
  forEachEngine<StoreTables>(
    "",
    { migrations: DIRECTORY_MIGRATIONS, engines: ["SQLite in memory", "PGlite"] },
    (open, { engine }) => {
      test("leaves every stored version as published", async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(operation, { minLength: 3, maxLength: 10 }), async (operations) => {
            await using database = await open();
            await checkAgainstModel(database, operations);
          }),
          { numRuns: RUNS[engine], seed: 2026 },
        );
      });
    },
  );

  type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

  async function checkAgainstModel(database: Database<StoreTables>, operations: readonly Operation[]): Promise<void> {
    const publishedVersions = createPublishedVersions(database, lockInProcess());
    const versions = new Map<number, Map<string, string>>();
    let current = new Map<string, string>();
    for (const operation of operations) {
      const staging = await publishedVersions.stage(0);
      let next = new Map(current);
      if (operation.kind === "restore") {
        const target = [...versions.keys()].sort((a, b) => b - a)[operation.back];
        if (target !== undefined) {
          await staging.restore(target);
          next = new Map(versions.get(target));
        }
      } else {
        if (operation.clear) {
          await staging.clear();
          next.clear();
        }
        for (const row of operation.rows) {
          await staging.upsert([storedItem(row)], 0);
          next.set(row.id, row.title);
        }
      }
      if (operation.kind === "fail") {
        await staging.close();
      } else {
        await finish(staging, 5);
        current = next;
        versions.set(staging.number, next);
        versions.delete(staging.number - 5);
      }
      for (const [number, expected] of versions) {
        const found = new Map(
          (await collected(publishedVersions.items(number))).map(({ sourceId, item }) => [sourceId, item.title]),
        );
        assert.deepEqual(sorted(found), sorted(expected), `version ${number}`);
      }
    }
  }
});

function sorted(titles: ReadonlyMap<string, string>): string[] {
  return Array.from(titles, ([id, title]) => `${id} ${title}`).sort();
}
