import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import type { Meter } from "../src/index.ts";
import { createWriteBehindBuffer } from "../src/write-behind.ts";
import { insertUsage } from "../src/store/sqlite.ts";
import type { UsageRow } from "../src/usage.ts";
import { crashRounds } from "./crash-rounds.ts";
import {
  migrations,
  openFixture,
  outcome,
  plans,
  request,
  START,
  type MeterFixture,
  type TestTables,
} from "./fixture.ts";

const engines = ["SQLite in memory", "a SQLite file"] as const;

forEachEngine<TestTables>("the embedded meter", { migrations, engines }, (open, stores) => {
  test("a settled request is stored within two seconds without a flush", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    await request(meter, key, 3);
    const since = performance.now();
    while ((await rowCount(fixture)) === 0) {
      assert.ok(performance.now() - since < 2000, "not written after two seconds");
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    assert.deepEqual(await fixture.ledger.verify("2026-11-20", "2026-11-20"), []);
  });

  test("stops admission at the limit while rows cannot be written, and loses no row", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter({ maxPending: 5 }), await fixture.key()];
    const verdicts: string[] = [];
    await refuseRows(fixture, true);
    for (let index = 0; index < 8; index++) verdicts.push((await request(meter, key, 1)).verdict);
    assert.deepEqual(verdicts, [
      "accepted",
      "accepted",
      "accepted",
      "accepted",
      "accepted",
      "overloaded",
      "overloaded",
      "overloaded",
    ]);
    await assert.rejects(meter.flush(), /no room/);
    await assert.rejects(meter.usage(key.id, "2026-11-20", "2026-11-20"), /no room/);

    await refuseRows(fixture, false);
    const [day] = await meter.usage(key.id, "2026-11-20", "2026-11-20");
    assert.equal(day?.requests, 5);
    assert.equal((await request(meter, key, 1)).verdict, "accepted");
    fixture.errors.splice(0);
  });

  test("does not book a batch twice if its commit response was lost", async () => {
    await using fixture = await openFixture(open());
    const key = await fixture.key();
    const rows = [row("req_1", key.id), row("req_2", key.id)];
    await insertUsage(fixture.database, { rows, plans, now: START, again: false });
    await insertUsage(fixture.database, { rows, plans, now: START, again: true });
    assert.equal(await rowCount(fixture), 2);
    assert.deepEqual(await fixture.ledger.verify("2026-11-20", "2026-11-20"), []);
  });

  test("stores everything settled before the meter closes", async () => {
    await using fixture = await openFixture(open());
    const [meter, key] = [await fixture.meter(), await fixture.key()];
    await settleMany(meter, key.id, fixture, 4500);
    await meter.close();
    assert.equal(await rowCount(fixture), 4500);
  });

  if (stores.name === "a SQLite file") {
    test("after a kill at any moment, rows match sums, only served requests are billed, and at most 50 ms are lost", async () => {
      const { kills, served, booked, differences, lostMs } = await crashRounds(5);
      assert.equal(kills, 5);
      assert.deepEqual(differences, []);
      assert.ok(booked > 0 && booked <= served, `${booked} items booked, ${served} served`);
      assert.ok(lostMs <= 50, `${lostMs} ms of settled requests were lost`);
    });
  }
});

test("reports and retries a failed write, with later rows queued behind it", async () => {
  const tries: string[] = [];
  const errors: unknown[] = [];
  const done = Promise.withResolvers<void>();
  let failures = 1;
  const write = (rows: readonly UsageRow[], { again }: { again: boolean }): Promise<void> => {
    tries.push(`${again ? "again " : ""}${rows.map(({ id }) => id).join(" ")}`);
    if (failures-- > 0) return Promise.reject(new Error("no room"));
    if (tries.length === 3) done.resolve();
    return Promise.resolve();
  };
  const writer = createWriteBehindBuffer({ write, onError: (error) => errors.push(error) });
  writer.add(row("req_1", "key_a"));
  assert.deepEqual(writer.lag().rows, 1);
  await assert.rejects(writer.flush(), /no room/);
  await pass(20);
  writer.add(row("req_2", "key_a"));
  assert.equal(writer.lag().rows, 2);
  // A timer may fire up to a millisecond early, as measured by the lag's clock.
  assert.ok(writer.lag().oldestMs >= 19, "the first row is still the oldest");
  await done.promise;
  // A batch that may have been booked must be retried unchanged: otherwise "already booked" would not cover all its
  // rows.
  assert.deepEqual(tries, ["req_1", "again req_1", "req_2"]);
  await writer.close();
  assert.equal(writer.waiting, 0);
  assert.deepEqual(writer.lag(), { rows: 0, oldestMs: 0 });
  assert.deepEqual(errors, [], "the caller of the flush gets the error");
  assert.throws(() => writer.add(row("req_3", "key_a")), /closed/);
});

test("a row that arrives during a write does not wait longer than usual", async () => {
  const begun: (() => void)[] = [];
  const batches: string[] = [];
  const write = (rows: readonly UsageRow[]): Promise<void> => {
    batches.push(rows.map(({ id }) => id).join(" "));
    const done = Promise.withResolvers<void>();
    begun.push(done.resolve);
    return done.promise;
  };
  const writer = createWriteBehindBuffer({ write, onError: (error) => assert.fail(String(error)) });
  writer.add(row("req_1", "key_a"));
  const first = writer.flush();
  writer.add(row("req_2", "key_a"));
  await pass(60);
  begun[0]?.();
  await first;
  // Half of the delay of a new row.
  await pass(15);
  assert.deepEqual(batches, ["req_1", "req_2"]);
  begun[1]?.();
  await writer.close();
});

/** Runs timers in order of their due time, however late. */
function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A trigger simulates a full disk. */
async function refuseRows({ database }: MeterFixture, refused: boolean): Promise<void> {
  const begin = sql`create trigger no_room before insert on usage_row begin select raise(abort, 'no room'); end`;
  await (refused ? begin : sql`drop trigger no_room`).execute(database.db);
}

async function settleMany(meter: Meter, keyId: string, fixture: MeterFixture, count: number): Promise<void> {
  const key = await fixture.keys.show(keyId);
  for (let index = 0; index < count; index++) {
    if (index % 100 === 0) fixture.clock.pass(60_000);
    const admission = await meter.admit({ ...key, dailyItems: "none" }, 1);
    assert.ok(admission.verdict === "accepted");
    await meter.settle(admission.reservation, outcome(1));
  }
}

function row(id: string, keyId: string): UsageRow {
  const base = { id, keyId, requestId: "r", at: START, day: "2026-11-20", route: "/x" };
  return { ...base, status: 200, items: 1, bytes: 1, geo: false, test: false, plan: "pro" };
}

async function rowCount({ database }: MeterFixture): Promise<number> {
  const { count } = await database.db
    .selectFrom("usage_row")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}
