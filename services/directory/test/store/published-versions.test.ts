/** The contract of the version repository, for every engine. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { StoreError, type Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import type { StoredItem } from "../../src/domain/catalogue.ts";
import {
  PublishInProgressError,
  PublishLockLostError,
  type PublishedVersions,
  type Staging,
} from "../../src/domain/published-versions.ts";
import { createPublishedVersions } from "../../src/store/published-versions.ts";
import { publishedSources } from "../../src/store/sources.ts";
import { DIRECTORY_MIGRATIONS, type StoreTables } from "../../src/store/tables.ts";
import { lockInProcess } from "../../src/store/publish-lock.ts";
import { collected, storedItem } from "../support/stored-item.ts";

const DAY = 86_400_000;
/** Few sequences of publications, because PGlite is slow. */
const RUNS = process.env["TEST_LONG"] === undefined ? { sqlite: 15, postgres: 2 } : { sqlite: 100, postgres: 8 };

forEachEngine<StoreTables>("catalogue versions", { migrations: DIRECTORY_MIGRATIONS }, (open) => {
  test("a staged version is invisible until published, and then complete", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    assert.equal(await versions.published(), null);
    const staging = await versions.stage(0);
    await staging.upsert([storedItem({ id: "b" }), storedItem({ id: "a" }), storedItem({ id: "c", type: "actor" })], 0);
    assert.equal(await versions.published(), null);

    const version = await staging.publish({ hash: "f".repeat(64), items: 3, at: 7, cause: "test" });
    await staging.close();
    assert.deepEqual(version, await versions.published());
    assert.equal(version.id, "1-ffffffffffff");
    assert.deepEqual(await slugs(versions, 1), ["actor/c", "place/a", "place/b"], "in order of type and slug");
  });

  test("readers of the published version see nothing of the next one while it is staged", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    await publishAll(versions, [storedItem({ id: "a" }), storedItem({ id: "b" })]);
    const before = await collected(versions.items(1));

    const staging = await versions.stage(DAY);
    await staging.upsert([storedItem({ id: "a", title: "changed", at: DAY }), storedItem({ id: "z", at: DAY })], DAY);
    assert.deepEqual(await collected(versions.items(1)), before);
    await staging.clear();
    assert.deepEqual(await collected(versions.items(1)), before);
    await staging.close();
    assert.deepEqual(await collected(versions.items(1)), before, "nor after it was aborted");
  });

  test("importing the same content again changes nothing and keeps its times", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    await publishAll(versions, [storedItem({ id: "a" })]);
    const staging = await versions.stage(DAY);
    await staging.upsert([storedItem({ id: "a", at: DAY })], DAY);
    assert.equal(await staging.isChanged(), false);

    await staging.upsert([storedItem({ id: "a", title: "other", at: DAY })], DAY);
    assert.equal(await staging.isChanged(), true);
    const [changed] = await collected(versions.items(2));
    assert.equal(changed?.item.title, "other");
    assert.equal(changed?.item.updated_at, new Date(DAY).toISOString());
    assert.equal(changed?.item.created_at, new Date(0).toISOString(), "created by the first import");

    await staging.upsert([storedItem({ id: "a", at: DAY })], DAY);
    assert.equal(await staging.isChanged(), false, "the last value of an import counts");
    await staging.close();
  });

  test("the last item of a repeated ID in one call wins, at any distance and with any slug", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    const between = Array.from({ length: 2100 }, (_, number) => storedItem({ id: `m${number}` }));
    const staging = await versions.stage(0);
    const [first, last] = [storedItem({ id: "x", slug: "z" }), storedItem({ id: "x", slug: "a" })];
    await staging.upsert([first, ...between, last], 0);
    const found = await slugs(versions, 1);
    assert.equal(found.length, 2101);
    assert.deepEqual([found[0], found.at(-1)], ["place/a", "place/m999"]);
    await staging.close();
  });

  test("reduces the step size when large steps time out, and completes the version", async () => {
    await using database = await open();
    const busy = busyDatabase(database, 300);
    const versions = createPublishedVersions(busy.database, lockInProcess());
    const items = Array.from({ length: 2500 }, (_, number) => storedItem({ id: `m${number}` }));
    const staging = await versions.stage(0);
    await staging.upsert(items, 0);
    await staging.upsertLabels([{ slug: "t", label: "T", uses: 1 }]);
    await finish(staging);
    assert.ok(busy.refused() > 0);
    assert.equal((await slugs(versions, 1)).length, 2500);
  });

  test("fails the import without changes when every step times out", async () => {
    await using database = await open();
    await publishAll(createPublishedVersions(database, lockInProcess()), [storedItem({ id: "a" })]);
    const versions = createPublishedVersions(busyDatabase(database, 0).database, lockInProcess());
    const staging = await versions.stage(DAY);
    await assert.rejects(
      staging.upsert([storedItem({ id: "b", at: DAY })], DAY),
      /too busy.*Nothing was published\. Try again/s,
    );
    await staging.close();
    assert.deepEqual(await slugs(versions, 1), ["place/a"]);
    assert.equal((await versions.published())?.number, 1);
  });

  test("clearing removes items that are not put again, and frees their slugs", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    await publishAll(versions, [storedItem({ id: "a" }), storedItem({ id: "b" })]);
    const staging = await versions.stage(DAY);
    await staging.clear();
    await staging.upsert(
      [storedItem({ id: "b", at: DAY }), storedItem({ id: "new", slug: "a", source: "other" })],
      DAY,
    );
    await finish(staging);
    assert.deepEqual(
      (await collected(versions.items(2))).map(({ sourceId, item }) => [sourceId, item.slug]),
      [
        ["new", "a"],
        ["b", "b"],
      ],
    );
    assert.deepEqual(await slugs(versions, 1), ["place/a", "place/b"]);
  });

  test("removing a source ends its items only, and a rollback brings them back", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    await publishAll(versions, [storedItem({ id: "a" }), storedItem({ id: "b", source: "other" })]);
    assert.deepEqual(
      (await publishedSources(database, 1)).map(({ items }) => items),
      [1, 1],
    );
    const staging = await versions.stage(DAY);
    await staging.removeSource("other");
    await finish(staging);
    assert.deepEqual(await slugs(versions, 2), ["place/a"]);
    const [{ name, items }, ...others] = await publishedSources(database, 2);
    assert.deepEqual([name === "other", items, others.length], [false, 1, 0]);
    const again = await versions.stage(DAY);
    await again.restore(1);
    await finish(again);
    assert.deepEqual(await slugs(versions, 3), ["place/a", "place/b"]);
  });

  test("clearing and putting everything again changes nothing", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    const items = [storedItem({ id: "a", tags: ["art"] }), storedItem({ id: "b" })];
    await publishAll(versions, items);
    const staging = await versions.stage(DAY);
    await staging.clear();
    assert.equal(await staging.isChanged(), true);
    await staging.upsert(items, 0);
    await staging.upsertLabels([{ slug: "art", label: "Art", uses: 1 }]);
    assert.equal(await staging.isChanged(), false);
    await staging.close();
  });

  test("replaces a label by one used at least as often", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    const staging = await versions.stage(0);
    await staging.upsertLabels([
      { slug: "art", label: "art", uses: 3 },
      { slug: "zoo", label: "Zoo", uses: 1 },
    ]);
    await finish(staging);
    const next = await versions.stage(1);
    await next.upsertLabels([
      { slug: "art", label: "Art", uses: 3 },
      { slug: "zoo", label: "zoo", uses: 0 },
    ]);
    await finish(next);
    assert.deepEqual(
      (await versions.labels(2)).map(({ label }) => label),
      ["Art", "Zoo"],
    );
    assert.deepEqual(
      (await versions.labels(1)).map(({ label }) => label),
      ["art", "Zoo"],
    );
  });

  test("allows one staging at a time, until it ends", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    const staging = await versions.stage(0);
    await assert.rejects(versions.stage(0), PublishInProgressError);
    await staging.close();
    await staging.close();
    await (await versions.stage(0)).close();
  });

  test("a staging that lost its lock cannot write, and the next one starts clean", async () => {
    await using database = await open();
    // Two locks, as after a connection broke without its holder noticing.
    const [first, second] = [
      createPublishedVersions(database, lockInProcess()),
      createPublishedVersions(database, lockInProcess()),
    ];
    await publishAll(first, [storedItem({ id: "a" })]);
    const lost = await first.stage(0);
    await lost.upsert([storedItem({ id: "a", title: "lost" }), storedItem({ id: "ghost" })], 0);
    await lost.upsertLabels([{ slug: "ghost", label: "Ghost", uses: 1 }]);

    const staging = await second.stage(0);
    assert.equal(await staging.isChanged(), false);
    await assert.rejects(lost.upsert([storedItem({ id: "late" })], 0), PublishLockLostError);
    await assert.rejects(lost.publish({ hash: "0".repeat(64), items: 0, at: 0, cause: "" }), PublishLockLostError);
    await lost.close();
    await staging.upsert([storedItem({ id: "b" })], 0);
    await finish(staging);
    assert.deepEqual(await slugs(second, 2), ["place/a", "place/b"]);
  });

  test("keeps only the newest versions, each complete, and a returning row gets its slug back", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    await publishAll(versions, [storedItem({ id: "gone", slug: "first-slug" }), storedItem({ id: "0" })]);
    for (let number = 1; number <= 7; number++) {
      const staging = await versions.stage(number);
      await staging.clear();
      await staging.upsert([storedItem({ id: String(number) }), storedItem({ id: "0" })], 0);
      await finish(staging, 5);
    }
    assert.deepEqual(
      (await versions.versions()).map(({ number }) => number),
      [8, 7, 6, 5, 4],
    );
    for (const { number } of await versions.versions())
      assert.deepEqual(await slugs(versions, number), ["place/0", `place/${number - 1}`]);
    const stored = await database.db.selectFrom("item").select("slug").where("source_id", "=", "gone").execute();
    assert.deepEqual(stored, [], "rows of no version are deleted");

    const { slugsOf, ownersOf } = versions.addresses("all");
    assert.deepEqual(
      await slugsOf("a", ["gone", "0", "never"]),
      new Map([
        ["gone", { type: "place", slug: "first-slug" }],
        ["0", { type: "place", slug: "0" }],
      ]),
    );
    assert.deepEqual(
      await ownersOf("place", ["first-slug", "0"]),
      new Map([["0", { sourceName: "a", sourceId: "0" }]]),
    );
  });

  test("keeps slugs of removed rows only for the sources in the import", async () => {
    await using database = await open();
    const versions = createPublishedVersions(database, lockInProcess());
    await publishAll(versions, [storedItem({ id: "a", source: "old" }), storedItem({ id: "b", source: "coming" })]);
    const staging = await versions.stage(0);
    const owners = () => versions.addresses(["coming"]).ownersOf("place", ["a", "b", "n"]);
    await staging.clear();
    assert.deepEqual([...(await owners()).keys()], ["b"]);
    await staging.upsert([storedItem({ id: "n", source: "coming" })], 0);
    assert.deepEqual([...(await owners()).keys()].sort(), ["b", "n"]);
    await staging.close();
  });
});

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

async function publishAll(versions: PublishedVersions, items: readonly StoredItem[]): Promise<void> {
  const staging = await versions.stage(0);
  await staging.upsert(items, 0);
  await staging.upsertLabels([{ slug: "art", label: "Art", uses: 1 }]);
  await finish(staging);
}

async function finish(staging: Staging, keep?: number): Promise<void> {
  await staging.publish({ hash: String(staging.number).padStart(64, "0"), items: 0, at: 0, cause: "test" });
  if (keep !== undefined) await staging.prune(keep);
  await staging.close();
}

function sorted(titles: ReadonlyMap<string, string>): string[] {
  return Array.from(titles, ([id, title]) => `${id} ${title}`).sort();
}

async function slugs(versions: PublishedVersions, version: number): Promise<string[]> {
  return (await collected(versions.items(version))).map(({ item }) => `${item.type}/${item.slug}`);
}

/** Rolls back every transaction that adds more than `rows` items, like a machine too slow for them. */
function busyDatabase(
  database: Database<StoreTables>,
  rows: number,
): { readonly database: Database<StoreTables>; refused(): number } {
  let refused = 0;
  return {
    refused: () => refused,
    database: {
      ...database,
      transaction: (work, options) =>
        database.transaction(async (tx) => {
          const count = () =>
            tx.selectFrom("item").select(tx.fn.countAll<number>().as("items")).executeTakeFirstOrThrow();
          const before = await count();
          const result = await work(tx);
          if ((await count()).items - before.items <= rows) return result;
          refused++;
          throw new StoreError("timeout", "The transaction took too long.");
        }, options),
    },
  };
}
