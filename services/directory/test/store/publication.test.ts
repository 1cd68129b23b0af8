/** One publisher at a time across processes, recovery after a dead one, and worker threads for large snapshots. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openDatabase, sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { PublishInProgressError, PublishLockLostError, type Staging } from "../../src/domain/published-versions.ts";
import { readSnapshotIndex, SnapshotRefused } from "../../src/domain/index/snapshot.ts";
import { createDirectoryStore } from "../../src/store/directory-store.ts";
import { createPublishedVersions } from "../../src/store/published-versions.ts";
import { DIRECTORY_MIGRATIONS, DIRECTORY_SCHEMA, type StoreTables } from "../../src/store/tables.ts";
import { openSnapshotReader } from "../../src/store/snapshot-files.ts";
import { buildInWorker } from "../../src/store/snapshot-worker.ts";
import { lockByFile, lockInProcess, lockOnConnection } from "../../src/store/publish-lock.ts";
import { openDirectory } from "../support/open-directory.ts";
import { storedItem } from "../support/stored-item.ts";

describe("the publication lock", () => {
  test("is exclusive per folder, and released at its end", async () => {
    const folder = await mkdtemp(join(tmpdir(), "triptych-turn-"));
    const path = join(folder, "publish.lock");
    const [first, other] = [lockByFile(path), lockByFile(path)];
    const lock = await first();
    assert.ok(lock !== null);
    assert.equal(await first(), null);
    assert.equal(await other(), null);
    await lock[Symbol.asyncDispose]();
    const next = await other();
    assert.ok(next !== null);
    await next[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
});

const onServer = { migrations: DIRECTORY_MIGRATIONS, engines: ["PostgreSQL" as const] };
forEachEngine<StoreTables>("publishers on several nodes", onServer, (_open, { createLocation }) => {
  test("take turns; a lost connection passes the lock on and stops its holder", async () => {
    await using location = await createLocation();
    await using here = await location.open();
    await using there = await location.open();
    const [ours, theirs] = [
      createPublishedVersions(here, lockOnConnection(here)),
      createPublishedVersions(there, lockOnConnection(there)),
    ];
    const staging = await ours.stage(0);
    await staging.upsert([storedItem({ id: "a" })], 0);
    await assert.rejects(theirs.stage(0), PublishInProgressError);

    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()
      and classid = (hashtext('triptych publication')::bigint & 4294967295)::oid
      and objid = (hashtext(current_schema())::bigint & 4294967295)::oid`.execute(there.db);
    const next = await eventually(() => theirs.stage(0));
    await assert.rejects(staging.upsert([storedItem({ id: "b" })], 0), PublishLockLostError);
    await staging.close();
    assert.equal(await next.isChanged(), false);
    await next.close();
    assert.equal(await ours.published(), null);
  });

  test("a publication notifies the other nodes", async () => {
    await using location = await createLocation();
    await using here = await location.open();
    await using there = await location.open();
    const folder = await mkdtemp(join(tmpdir(), "triptych-nodes-"));
    const woken = Promise.withResolvers<string>();
    const node = (database: typeof here, name: string) =>
      createDirectoryStore({
        database,
        location,
        dataFolder: join(folder, name),
        engine: "memory",
        indexBytes: 1e9,
        report: (event) => event.what === "serving" && name === "there" && woken.resolve(event.version),
        now: () => 0,
      });
    const source = await node(there, "there").openSource();
    const { outcome } = await node(here, "here").publish({
      cause: "test",
      apply: (staging) => staging.upsert([storedItem({ id: "a" })], 0),
    });
    assert.equal(outcome, "published");
    assert.match(await woken.promise, /^1-/);
    await source.close();
    await rm(folder, { recursive: true });
  });
});

test("removes old versions after a pause, not before", async () => {
  await using directory = await openDirectory();
  const { database, folder } = directory;
  const received: string[] = [];
  const store = createDirectoryStore({
    database,
    location: null,
    dataFolder: folder,
    engine: "memory",
    indexBytes: 1e9,
    report: () => {},
    now: () => 0,
    async pause() {
      received.push(`pause with ${(await store.versions.versions()).length}`);
    },
  });
  for (const id of ["a", "b", "c", "d", "e", "f"]) {
    const apply = (staging: Staging) => staging.upsert([storedItem({ id })], 0);
    await store.publish({ cause: "test", apply }, (step) => received.push(step));
  }
  const usual = ["staging", "preparing", "publishing", "published"];
  assert.deepEqual(received, [...Array.from({ length: 6 }, () => usual).flat(), "forgetting", "pause with 6"]);
  assert.equal((await store.versions.versions()).length, 5);
});

test("removes the remains of a failed staging when a service starts", async () => {
  await using directory = await openDirectory();
  await directory.publishItems([storedItem({ id: "a" })]);
  const dead = await createPublishedVersions(directory.database, lockInProcess()).stage(0);
  await dead.clear();
  await dead.upsert([storedItem({ id: "ghost" })], 0);

  const source = await directory.store.openSource();
  assert.equal(source.state().version, (await directory.store.versions.published())?.id);
  while (await directory.store.versions.hasAbandonedStaging()) await new Promise((resolve) => setImmediate(resolve));
  const rows = await directory.database.db.selectFrom("item").select(["slug", "to_version"]).execute();
  assert.deepEqual(rows, [{ slug: "a", to_version: null }]);
  await source.close();
});

test("rebuilds a large version in a thread, to the same bytes, with a verified index", async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-thread-"));
  const location = { url: `sqlite:${join(folder, "directory.db")}`, schema: DIRECTORY_SCHEMA };
  await using database = await openDatabase<StoreTables>({ ...location, migrations: DIRECTORY_MIGRATIONS });
  const events: string[] = [];
  const store = createDirectoryStore({
    database,
    location,
    dataFolder: folder,
    engine: "memory",
    indexBytes: 1e9,
    report: ({ what }) => events.push(what),
    now: () => 0,
  });
  // More than the serving thread builds itself.
  const items = Array.from({ length: 2200 }, (_, number) =>
    storedItem({ id: `item-${number}`, title: `Lieu ${number}` }),
  );
  await store.publish({ cause: "test", apply: (staging) => staging.upsert(items, 0) });
  const published = await store.versions.published();
  const path = join(folder, "directory", `${published?.id}.snapshot`);
  const whole = await readFile(path);
  await rm(path);

  const source = await store.openSource();
  assert.equal((await source.current()?.meta())?.totals.all, 2200);
  assert.ok(events.includes("rebuilt"));
  assert.deepEqual(await readFile(path), whole);
  await source.close();

  const built = await buildInWorker({ location, folder: join(folder, "directory"), version: 1 });
  assert.equal(built.result.contentHash, published?.contentHash);
  const openBuilt = async () => {
    const reader = openSnapshotReader(built.path);
    try {
      return await readSnapshotIndex(reader.source);
    } finally {
      await reader.close();
    }
  };
  const { header, buffer } = await openBuilt();
  assert.equal(header.itemCount, 2200);
  assert.ok(buffer instanceof SharedArrayBuffer);
  await writeFile(built.path, whole.subarray(0, -1));
  await assert.rejects(openBuilt(), SnapshotRefused);
  await rm(folder, { recursive: true });
});

/** The server notices a broken connection after some time; each poll queries it once. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PublishInProgressError)) throw error;
    }
  }
}
