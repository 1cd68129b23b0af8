/** The contents of versions, on every engine. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { createPublishedVersions } from "../../src/store/published-versions.ts";
import { lockInProcess } from "../../src/store/publish-lock.ts";
import { publishedSources } from "../../src/store/sources.ts";
import { DIRECTORY_MIGRATIONS, type StoreTables } from "../../src/store/tables.ts";
import { finish, publishAll, slugs } from "../support/publish-versions.ts";
import { collected, storedItem } from "../support/stored-item.ts";

const DAY = 86_400_000;

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
