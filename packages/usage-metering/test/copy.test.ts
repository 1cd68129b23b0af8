import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { copyStore, openDatabase, type Database } from "@triptych/storage";
import { forEachEngine } from "@triptych/storage/testing";
import { openKeyCache } from "@triptych/api-keys";
import { meteringNotCopied } from "../src/index.ts";
import { DAY, forms, migrations, openFixture, request, START, type TestTables } from "./fixture.ts";

forEachEngine<TestTables>("a copied store", { migrations, engines: ["PostgreSQL"] }, (_open, stores) => {
  test("copies keys, usage and daily counters from SQLite to PostgreSQL and back", async () => {
    const folder = await mkdtemp(join(tmpdir(), "triptych-copy-"));
    const locationOf = (name: string) => ({ url: `sqlite:${join(folder, name)}`, schema: "test" });
    const shared = { migrations, skip: meteringNotCopied };
    try {
      await using server = await stores.createLocation();
      const secret = await useForADay(openDatabase<TestTables>({ ...locationOf("before.db"), migrations }));
      await copyStore({ ...shared, from: locationOf("before.db"), to: server });
      assert.equal(await serveRest(server.open(), secret, 60), 50, "50 of 100 were used before the copy");
      await copyStore({ ...shared, from: server, to: locationOf("after.db") });
      assert.equal(await serveRest(openDatabase<TestTables>({ ...locationOf("after.db"), migrations }), secret, 60), 0);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** A closed day with usage, and today with 50 of 100 items used; returns the secret of the key. */
async function useForADay(opening: Promise<Database<TestTables>>): Promise<string> {
  await using fixture = await openFixture(opening);
  const { key, secret } = await fixture.keys.create({ name: "moving", plan: "pro", test: true, dailyItems: 100 });
  const meter = await fixture.meter();
  fixture.clock.pass(-DAY);
  await request(meter, key, 70);
  fixture.clock.pass(DAY);
  await request(meter, key, 50);
  await meter.flush();
  assert.deepEqual(await fixture.ledger.closeEndedDays(), ["2026-11-19"]);
  return secret;
}

/** Opens a copy, verifies it, and serves the remaining items of the key; returns their number. */
async function serveRest(opening: Promise<Database<TestTables>>, secret: string, items: number): Promise<number> {
  await using fixture = await openFixture(opening);
  await using ring = await openKeyCache({
    store: fixture.store,
    forms,
    clock: fixture.clock,
    onError: (error) => fixture.errors.push(error),
  });
  const found = ring.verify(secret);
  assert.ok(found.state === "valid");
  assert.equal(fixture.clock(), START);
  const admission = await request(await fixture.meter(), found.key, items);
  assert.deepEqual(await fixture.ledger.verify("2026-11-01", "2026-11-30"), []);
  assert.deepEqual(await fixture.ledger.closeEndedDays(), [], "closed days are closed in the copy");
  return "reservation" in admission ? admission.reservation.granted : 0;
}
