import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import type { Database } from "@triptych/storage";
import type { HeadMade, HeadSettings } from "../../src/domain/heads/head.ts";
import type { NewHead } from "../../src/domain/heads/head-store.ts";
import { openFeedbackStore } from "../../src/store/feedback-store.ts";
import { filesInRows } from "../../src/store/head-files.ts";
import { openHeadStore } from "../../src/store/head-store.ts";
import { ROUTER_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RouterTables } from "../../src/store/tables.ts";

const SETTINGS: HeadSettings = { gate: "floor", alpha: 0.05, minConf: null, auto: false, domain: null, languages: [] };
const MADE: HeadMade = {
  sha256: "a".repeat(64),
  trunk: "t",
  routes: [],
  denseBytes: 1,
  plusBytes: 0,
  revision: 1,
  temperature: 1.5,
  qhat: 0.5,
  report: { accuracy: 0.9 },
};

function newHead(id: string, more: Partial<NewHead> = {}): NewHead {
  const about = { owner: "wal_a", name: "acme", at: 1000, settings: SETTINGS, routes: [] };
  return { id, ...about, trainer: "p1", leaseUntil: 2000, once: null, ...more };
}

function createFixture(database: Database<RouterTables>) {
  const store = openHeadStore(database);
  return {
    store,
    feedback: openFeedbackStore(database),
    /** A trained version. */
    async make(id: string, more: Partial<NewHead> = {}) {
      const head = newHead(id, more);
      const created = await store.create(head);
      assert.equal(created.kind, "created");
      const end = { kind: "made", made: MADE, rejected: null, ms: 7 } as const;
      const made = await store.finish(head.owner, id, { end, at: 1500, trainer: head.trainer });
      assert.ok(made !== null);
      return made;
    },
  };
}

forEachEngine<RouterTables>("the head repository", { migrations: ROUTER_MIGRATIONS }, (open, stores) => {
  test("a first version is live, a later one is ready, and a promotion retires the live one in the same commit", async () => {
    await using database = await open();
    const { store, make } = createFixture(database);
    const first = await make("hed_1");
    assert.deepEqual([first.state, first.version, first.made], ["live", 1, MADE]);
    assert.deepEqual([(await make("hed_2")).state, (await store.find("wal_a", "hed_2"))?.version], ["ready", 2]);
    assert.equal((await store.move("wal_a", "hed_2", { event: "promoted", allows: () => false }))?.outcome, "refused");
    assert.equal((await store.move("wal_a", "hed_2", { event: "promoted" }))?.head.state, "live");
    assert.deepEqual(
      (await store.list("wal_a")).map(({ state }) => state),
      ["retired", "live"],
    );
    assert.equal((await store.move("wal_a", "hed_1", { event: "shadow_begun" }))?.outcome, "impossible");
  });

  test("an owner reads and changes only its own heads, and every change increments its revision", async () => {
    await using database = await open();
    const { store, make } = createFixture(database);
    await make("hed_1");
    const before = await store.revision("wal_a");
    assert.deepEqual(
      [await store.find("wal_b", "hed_1"), await store.remove("wal_b", "hed_1"), await store.list("wal_b")],
      [null, null, []],
    );
    assert.equal(await store.move("wal_b", "hed_1", { event: "promoted" }), null);
    assert.equal(await store.revision("wal_a"), before);
    assert.equal((await store.remove("wal_a", "hed_1"))?.id, "hed_1");
    assert.ok((await store.revision("wal_a")) > before);
    assert.equal((await make("hed_2")).version, 1);
  });

  test("a training with an expired lease fails, and its late result is ignored", async () => {
    await using database = await open();
    const { store } = createFixture(database);
    await store.create(newHead("hed_1"));
    await store.create(newHead("hed_2", { name: "other" }));
    await store.renew(["hed_2"], 9000);
    assert.equal(await store.giveUp(1999), 0);
    assert.equal(await store.giveUp(2000), 1);
    const stored = await store.find("wal_a", "hed_1");
    assert.deepEqual([stored?.state, stored?.reason], ["failed", "interrupted"]);
    const end = { kind: "made", made: MADE, rejected: null, ms: 7 } as const;
    assert.equal(await store.finish("wal_a", "hed_1", { end, at: 3000, trainer: "p1" }), null);
    assert.equal(await store.finish("wal_a", "hed_2", { end, at: 3000, trainer: "p2" }), null);
    assert.equal((await store.finish("wal_a", "hed_2", { end, at: 3000, trainer: "p1" }))?.state, "live");
  });

  test("five versions of a name are stored: unusable ones are evicted first, then the oldest retired, never one in use", async () => {
    await using database = await open();
    const { store, make } = createFixture(database);
    for (const id of ["hed_1", "hed_2", "hed_3", "hed_4", "hed_5"]) await make(id);
    const full = await store.create(newHead("hed_6"));
    assert.deepEqual(full, { kind: "no_room", of: "versions" });
    await store.move("wal_a", "hed_2", { event: "promoted" });
    const created = await store.create(newHead("hed_6"));
    assert.ok(created.kind === "created" && created.gone?.id === "hed_1" && created.head.version === 6);
    await store.finish("wal_a", "hed_6", { end: { kind: "failed", reason: "internal" }, at: 1, trainer: "p1" });
    const next = await store.create(newHead("hed_7"));
    assert.ok(next.kind === "created" && next.gone?.id === "hed_6");
  });

  test("stores at most a hundred names per owner", async () => {
    await using database = await open();
    const { store } = createFixture(database);
    for (let name = 0; name < 100; name++) await store.create(newHead(`hed_${name}`, { name: `name_${name}` }));
    const more = await store.create(newHead("hed_x", { name: "one_more" }));
    assert.deepEqual(more, { kind: "no_room", of: "names" });
    assert.equal((await store.create(newHead("hed_y", { name: "name_7" }))).kind, "created");
  });

  test("calls with the same key create one head, even concurrently", async () => {
    await using database = await open();
    const { store } = createFixture(database);
    const once = { key: "k", payload: "p", expiresAt: 5000 };
    const both = await Promise.all(["hed_1", "hed_2"].map((id) => store.create(newHead(id, { once }))));
    assert.deepEqual(both.map(({ kind }) => kind).toSorted(), ["created", "replayed"]);
    assert.equal((await store.list("wal_a")).length, 1);
    const other = await store.create(newHead("hed_3", { once: { ...once, payload: "q" } }));
    assert.equal(other.kind, "other_payload");
    const before = await store.createdBefore("wal_a", once, 4999);
    assert.ok(before?.kind === "replayed" && (await store.list("wal_a"))[0].id === before.head?.id);
    assert.deepEqual(await store.createdBefore("wal_a", { ...once, payload: "q" }, 4999), { kind: "other_payload" });
    assert.deepEqual(
      [await store.createdBefore("wal_a", once, 5000), await store.createdBefore("wal_b", once, 0)],
      [null, null],
    );
    const later = await store.create(newHead("hed_4", { at: 5000, once }));
    assert.equal(later.kind, "created");
  });

  test("shadow counts add up, and restart against another live version", async () => {
    await using database = await open();
    const { store, make } = createFixture(database);
    for (const id of ["hed_1", "hed_2", "hed_3"]) await make(id);
    await store.move("wal_a", "hed_3", { event: "shadow_begun" });
    const more = { n: 2, agreed: 1, labelled: 1, liveCorrect: 1, shadowCorrect: 0 };
    await Promise.all([1, 2, 3].map(() => store.tally("wal_a", "hed_3", more)));
    await store.tally("wal_a", "hed_1", more);
    assert.equal((await store.find("wal_a", "hed_1"))?.shadow.n, 0);
    assert.deepEqual((await store.find("wal_a", "hed_3"))?.shadow, {
      n: 6,
      agreed: 3,
      labelled: 3,
      liveCorrect: 3,
      shadowCorrect: 0,
    });
    await store.move("wal_a", "hed_2", { event: "promoted" });
    assert.equal((await store.find("wal_a", "hed_3"))?.shadow.n, 0);
  });

  test("feedback is limited in number and age, and is deleted with its head", async () => {
    await using database = await open();
    const { store, feedback, make } = createFixture(database);
    await make("hed_1");
    const scope = { owner: "wal_a", about: "hed_1" };
    const row = { state: "s", context: "", route: "a", decided: "a", confidence: 0.5, requestId: null };
    const rows = [10, 20, 30].map((at) => ({ id: `fbk_${at}`, at, ...row }));
    assert.equal(await feedback.add(scope, rows, { once: null, most: 2 }), "added");
    assert.deepEqual(await feedback.judged(scope, 0), [
      { confidence: 0.5, isRight: true },
      { confidence: 0.5, isRight: true },
    ]);
    assert.deepEqual(await feedback.judged({ ...scope, owner: "wal_b" }, 0), []);
    assert.equal((await feedback.texts(scope, 30)).length, 1);
    await feedback.expire({ before: 30, now: 0 });
    assert.equal((await feedback.judged(scope, 0)).length, 1);
    await store.remove("wal_a", "hed_1");
    assert.deepEqual(await feedback.judged(scope, 0), []);
  });

  test("a feedback key returns the stored result to its owner only, until it expires", async () => {
    await using database = await open();
    const { feedback } = createFixture(database);
    const once = { key: "k", payload: "p", expiresAt: 100 };
    const scope = { owner: "wal_a", about: "hed_1" };
    assert.deepEqual(await feedback.findNotice("wal_a", once, 0), { kind: "nothing" });
    assert.equal(await feedback.add(scope, [], { once, most: 2 }), "added");
    assert.deepEqual(await feedback.findNotice("wal_a", once, 0), { kind: "nothing" });
    const answer = { figures: { n: 1, accuracy: 0.5, ece: null, drift: null }, recalibration: null };
    await feedback.saveNotice("wal_a", once, answer);
    assert.deepEqual(await feedback.findNotice("wal_a", once, 99), { kind: "replayed", answer });
    assert.deepEqual(await feedback.findNotice("wal_a", { ...once, payload: "q" }, 99), { kind: "other_payload" });
    assert.deepEqual(await feedback.findNotice("wal_b", once, 99), { kind: "nothing" });
    assert.deepEqual(await feedback.findNotice("wal_a", once, 100), { kind: "nothing" });
  });

  test("a recalibration replaces only the calibration that it started from", async () => {
    await using database = await open();
    const { store, make } = createFixture(database);
    await make("hed_1");
    const made = { ...MADE, revision: 2, sha256: "b".repeat(64) };
    assert.equal(await store.recalibrate("wal_a", "hed_1", { before: "c".repeat(64), made }), false);
    assert.equal(await store.recalibrate("wal_a", "hed_1", { before: MADE.sha256, made }), true);
    assert.deepEqual((await store.find("wal_a", "hed_1"))?.made, made);
  });

  // SQLite stores them in a folder.
  if (stores.engine !== "sqlite")
    test("files in rows are found by head and hash", async () => {
      await using database = await open();
      const files = filesInRows(database);
      const key = { headId: "hed_1", sha256: MADE.sha256 };
      assert.equal(await files.get(key), null);
      await files.write(key, new Uint8Array([1, 0, 255]));
      await files.write(key, new Uint8Array([1, 0, 255]));
      assert.deepEqual(await files.get(key), new Uint8Array([1, 0, 255]));
      await files.remove(key);
      assert.equal(await files.get(key), null);
    });
});
