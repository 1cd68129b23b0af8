/** One staging at a time, in steps that fit the machine. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError, type Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { PublishInProgressError, PublishLockLostError } from "../../src/domain/published-versions.ts";
import { createPublishedVersions } from "../../src/store/published-versions.ts";
import { lockInProcess } from "../../src/store/publish-lock.ts";
import { DIRECTORY_MIGRATIONS, type StoreTables } from "../../src/store/tables.ts";
import { finish, publishAll, slugs } from "../support/publish-versions.ts";
import { storedItem } from "../support/stored-item.ts";

const DAY = 86_400_000;

forEachEngine<StoreTables>("staging a version", { migrations: DIRECTORY_MIGRATIONS }, (open) => {
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
});

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
