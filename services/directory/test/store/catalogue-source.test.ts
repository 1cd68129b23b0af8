/** Versions swap under readers; damaged or foreign snapshots are never served. */
import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { NO_FILTERS, type Catalogue, type NormalQuery } from "../../src/domain/catalogue.ts";
import { publish } from "../../src/domain/publish.ts";
import { IndexTooLarge } from "../../src/store/catalogue-engine.ts";
import { DIRECTORY_MIGRATIONS, type StoreTables } from "../../src/store/tables.ts";
import { openSnapshotReader } from "../../src/store/snapshot-files.ts";
import { openDirectory, type OpenDirectory } from "../support/open-directory.ts";
import { slugOf, storedItem } from "../support/stored-item.ts";

const EVERYTHING: NormalQuery = {
  ...NO_FILTERS,
  sort: "title",
  offset: 0,
  limit: 100,
  variant: "all",
};
const MINUTE = 60_000;

test("serves nothing before the first version, and that one after publication", async () => {
  await using directory = await openDirectory();
  const source = await directory.store.openSource();
  assert.equal(source.current(), null);
  assert.deepEqual(source.state(), { version: null, problem: null });
  await directory.publishItems([storedItem({ id: "a" })]);
  await source.refresh();
  assert.deepEqual(await titles(source.current()), ["a"]);
  await source.close();
  assert.equal(source.current(), null);
});

test("a reader keeps its version while the next one is served; the old one is closed afterwards", async () => {
  await using directory = await openDirectory();
  await directory.publishItems([storedItem({ id: "a" }), storedItem({ id: "b" })]);
  const source = await directory.store.openSource();
  const current = source.current();
  assert.ok(current !== null);
  const stream = current.stream(EVERYTHING)[Symbol.asyncIterator]();
  assert.equal(slugOf((await stream.next()).value), "a");

  await directory.publishItems([storedItem({ id: "c" })], { alone: true });
  await source.refresh();
  assert.deepEqual(await titles(source.current()), ["c"]);
  assert.deepEqual(await titles(current), ["a", "b"]);
  directory.pass(10 * MINUTE);
  await source.refresh();
  assert.ok(!directory.events.some(({ what }) => what === "closed"), "a stream is still being read");
  assert.equal(slugOf((await stream.next()).value), "b");
  assert.equal((await stream.next()).done, true);

  await source.refresh();
  assert.ok(!directory.events.some(({ what }) => what === "closed"), "a request may still use it");
  directory.pass(MINUTE);
  await source.refresh();
  assert.ok(directory.events.some(({ what }) => what === "closed"));
  await source.close();
});

test("delays closing an old version after a swap, but not forever", async () => {
  await using directory = await openDirectory();
  const isClosed = () => directory.events.some(({ what }) => what === "closed");
  await directory.publishItems([storedItem({ id: "a" })]);
  const source = await directory.store.openSource();
  await directory.publishItems([storedItem({ id: "b" })]);
  await source.refresh();
  directory.pass(MINUTE / 2);
  await directory.publishItems([storedItem({ id: "c" })]);
  await source.refresh();
  assert.deepEqual(await titles(source.current()), ["a", "b", "c"]);
  assert.ok(!isClosed(), "not by the poll that serves the new one");
  directory.pass(MINUTE / 2);
  await directory.publishItems([storedItem({ id: "d" })]);
  await source.refresh();
  assert.ok(isClosed(), "closed after a minute in any case");
  await source.close();
});

test("rejects reads from a closed snapshot, and closes idempotently", async () => {
  await using directory = await openDirectory();
  await directory.publishItems([storedItem({ id: "a" })]);
  const [name] = await snapshots(directory);
  const reader = openSnapshotReader(join(directory.folder, "directory", name ?? ""));
  assert.equal((await reader.source.read(0, 8)).length, 8);
  const closing = reader.close();
  await assert.rejects(reader.source.read(0, 8), /closed while in use/);
  await Promise.all([closing, reader.close()]);
});

test("leaves only the snapshot file of the served version", async () => {
  await using directory = await openDirectory();
  for (const id of ["a", "b", "c"]) await directory.publishItems([storedItem({ id })]);
  const published = await directory.store.versions.published();
  assert.deepEqual(await snapshots(directory), [`${published?.id}.snapshot`]);
});

const DAMAGE: readonly (readonly [string, (path: string, directory: OpenDirectory) => Promise<void>])[] = [
  ["was removed", (path) => rm(path)],
  ["is empty", (path) => truncate(path, 0)],
  ["is cut short", async (path) => truncate(path, Math.floor((await readFile(path)).length / 2))],
  ["lacks its last byte", async (path) => truncate(path, (await readFile(path)).length - 1)],
  ["is another file", (path) => writeFile(path, "not a snapshot ".repeat(100))],
  ["has a flipped byte in its index", (path) => flip(path, (length) => Math.floor(length * 0.8))],
  ["has a flipped byte at its end", (path) => flip(path, (length) => length - 20)],
  ["is of a newer format", (path) => flip(path, (length) => length - 24)],
  [
    "holds the content of another version",
    async (path, directory) => {
      const other = await openDirectory();
      await other.publishItems([storedItem({ id: "foreign" })]);
      const [name] = await snapshots(other);
      await copyFile(join(other.folder, "directory", name ?? ""), path);
      await other[Symbol.asyncDispose]();
      assert.notEqual(name, (await snapshots(directory))[0]);
    },
  ],
];
for (const [what, damage] of DAMAGE) {
  test(`rebuilds a snapshot that ${what} from the rows`, async () => {
    await using directory = await openDirectory();
    await directory.publishItems([storedItem({ id: "a" }), storedItem({ id: "b" })]);
    const [name] = await snapshots(directory);
    const path = join(directory.folder, "directory", name ?? "");
    const whole = await readFile(path);
    await damage(path, directory);

    const source = await directory.store.openSource();
    assert.deepEqual(await titles(source.current()), ["a", "b"]);
    assert.ok(directory.events.some((event) => event.what === "rebuilt"));
    assert.deepEqual(await readFile(path), whole, "to the byte");
    await source.close();
  });
}

test("a damaged item fails its response and is then served from a rebuilt snapshot", async () => {
  await using directory = await openDirectory();
  await directory.publishItems([storedItem({ id: "a" })]);
  const [name] = await snapshots(directory);
  const path = join(directory.folder, "directory", name ?? "");
  await flip(path, () => 100);
  const source = await directory.store.openSource();
  await assert.rejects(titles(source.current()), /damaged/);
  await source.refresh();
  assert.deepEqual(await titles(source.current()), ["a"]);
  await source.close();
});

test("rejects an index above the limit and suggests the other engine", async () => {
  await using directory = await openDirectory();
  const small = directory.beside({ indexBytes: 1000 });
  await directory.publishItems([storedItem({ id: "a" })]);
  await assert.rejects(
    small.openSource(),
    (error: unknown) => error instanceof IndexTooLarge && /DIRECTORY_ENGINE=postgres/.test(error.message),
  );
  await assert.rejects(
    small.publish({ cause: "test", apply: (staging) => staging.upsert([storedItem({ id: "b" })], 0) }),
    IndexTooLarge,
  );
  assert.equal((await directory.store.versions.published())?.number, 1);
  assert.equal((await snapshots(directory)).length, 1, "the prepared files are removed");
});

test("keeps serving the old version if the new one fails to open, and reports why", async () => {
  await using directory = await openDirectory();
  await directory.publishItems([storedItem({ id: "a" })]);
  const bytes = directory.events.length;
  const narrow = directory.beside({ indexBytes: 60_000 });
  const source = await narrow.openSource();
  const many = Array.from({ length: 2000 }, (_, number) =>
    storedItem({ id: `item-${number}`, title: `Titre ${number}` }),
  );
  await directory.publishItems(many);
  await assert.rejects(source.refresh(), IndexTooLarge);
  assert.deepEqual(await titles(source.current()), ["a"]);
  assert.match(source.state().problem ?? "", /DIRECTORY_INDEX_BYTES/);
  assert.ok(directory.events.length > bytes);
  await source.close();
});

test("a publication that fails at any step changes neither versions nor files", async () => {
  await using directory = await openDirectory();
  const { versions, engine } = directory.store;
  await directory.publishItems([storedItem({ id: "a" })]);
  const before = { versions: await versions.versions(), files: await readdir(join(directory.folder, "directory")) };
  const fail = (): never => {
    throw new Error("disk full");
  };
  const failing = [
    { versions, prepare: engine.prepare, fails: true },
    { versions, prepare: () => fail(), fails: false },
    { versions, prepare: async (staged: number) => ({ ...(await engine.prepare(staged)), keep: fail }), fails: false },
  ];
  for (const { fails, ...publishing } of failing) {
    const change = {
      cause: "test",
      async apply(staging: Parameters<Parameters<typeof publish>[1]["apply"]>[0]) {
        await staging.clear();
        await staging.upsert([storedItem({ id: "b" })], 0);
        if (fails) fail();
      },
    };
    await assert.rejects(publish({ ...publishing, now: () => 0 }, change), /disk full/);
    assert.deepEqual(
      { versions: await versions.versions(), files: await readdir(join(directory.folder, "directory")) },
      before,
    );
  }
});

forEachEngine<StoreTables>(
  "snapshots shared by several nodes",
  { migrations: DIRECTORY_MIGRATIONS, engines: ["PGlite", "PostgreSQL"] },
  (open) => {
    test("a node fetches the publisher's snapshot, and rebuilds it when damaged", async () => {
      await using directory = await openDirectory({ database: await open() });
      await directory.publishItems([storedItem({ id: "a" }), storedItem({ id: "b" })]);
      const [name] = await snapshots(directory);
      const whole = await readFile(join(directory.folder, "directory", name ?? ""));

      const folder = await mkdtemp(join(tmpdir(), "triptych-node-"));
      await mkdir(join(folder, "directory"));
      const node = directory.beside({ folder });
      const source = await node.openSource();
      assert.deepEqual(await titles(source.current()), ["a", "b"]);
      assert.ok(directory.events.some(({ what }) => what === "fetched"));
      assert.deepEqual(await readFile(join(folder, "directory", name ?? "")), whole);
      await source.close();

      await rm(join(folder, "directory", name ?? ""));
      await directory.database.db
        .updateTable("snapshot_part")
        .set({ bytes: Buffer.from("damaged") })
        .execute();
      const again = await node.openSource();
      assert.deepEqual(await titles(again.current()), ["a", "b"]);
      assert.ok(directory.events.some(({ what }) => what === "rebuilt"));
      await again.close();
      await rm(folder, { recursive: true });
    });
  },
);

async function titles(catalogue: Catalogue | null): Promise<string[]> {
  const { hits } = (await catalogue?.search(EVERYTHING)) ?? { hits: [] };
  return hits.map(slugOf);
}

async function snapshots({ folder }: OpenDirectory): Promise<string[]> {
  return (await readdir(join(folder, "directory"))).filter((name) => name.endsWith(".snapshot"));
}

async function flip(path: string, positionOf: (length: number) => number): Promise<void> {
  const bytes = await readFile(path);
  bytes[positionOf(bytes.length)] ^= 1;
  await writeFile(path, bytes);
}
