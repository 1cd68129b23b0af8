import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import {
  generateKey,
  openKeyCache,
  openKeyStore,
  type ApiKeyTables,
  type KeyCache,
  type KeyStore,
} from "../src/index.ts";
import { forms, migrations, openFixture, type Fixture } from "./fixture.ts";

/** A poll interval that never elapses. */
const NEVER = 2 ** 30;

function openCache(
  fixture: Fixture,
  changed?: { readonly store?: KeyStore; readonly pollMs?: number },
): Promise<KeyCache> {
  const onError = (error: unknown): void => void fixture.errors.push(error);
  return openKeyCache({ store: fixture.store, forms, clock: fixture.clock, onError, pollMs: NEVER, ...changed });
}

forEachEngine<ApiKeyTables>("the key cache", { migrations }, (open, stores) => {
  test("a key is valid as soon as the cache is open", async () => {
    await using fixture = await openFixture(open());
    const { key, secret } = await fixture.keys.create({ name: "demo", plan: "discovery", test: false });
    await using cache = await openCache(fixture);
    assert.deepEqual(cache.verify(secret), { state: "valid", key });
    assert.equal(cache.size, 1);
  });

  test("a change by any process is visible after the next poll", async () => {
    await using fixture = await openFixture(open());
    await using cache = await openCache(fixture);
    const { key, secret } = await fixture.keys.create({ name: "demo", plan: "pro", test: false });
    await cache.refresh();
    assert.equal(cache.verify(secret).state, "valid");

    const changed = await fixture.keys.set(key.id, { dailyItems: "none" });
    await cache.refresh();
    assert.deepEqual(cache.verify(secret), { state: "valid", key: changed });

    await fixture.keys.revoke(key.id);
    await cache.refresh();
    assert.equal(cache.verify(secret).state, "revoked");
  });

  test("a notification refreshes the cache before the next poll", async () => {
    await using fixture = await openFixture(open());
    const looked = Promise.withResolvers<void>();
    const store: KeyStore = {
      ...fixture.store,
      changedSince: async (sequence) => {
        const changes = await fixture.store.changedSince(sequence);
        if (changes.keys.length > 0) looked.resolve();
        return changes;
      },
    };
    await using cache = await openCache(fixture, { store });
    const { secret } = await fixture.keys.create({ name: "demo", plan: "pro", test: false });
    await looked.promise;
    await cache.refresh();
    assert.equal(cache.verify(secret).state, "valid");
  });

  test("a key expires at the exact millisecond of its date", async () => {
    await using fixture = await openFixture(open());
    const { key, secret } = await fixture.keys.create({
      name: "demo",
      plan: "pro",
      test: false,
      expiresAt: fixture.clock() + 1000,
    });
    await using cache = await openCache(fixture);
    fixture.clock.pass(999);
    assert.equal(cache.verify(secret).state, "valid");
    fixture.clock.pass(1);
    assert.deepEqual(cache.verify(secret), { state: "expired", key });
  });

  test("after a rotation the old secret is valid until its grace period ends, and the new one immediately", async () => {
    await using fixture = await openFixture(open());
    const { key, secret } = await fixture.keys.create({ name: "demo", plan: "pro", test: false });
    const rotated = await fixture.keys.rotate(key.id, 60_000);
    await using cache = await openCache(fixture);
    assert.equal(rotated.key.id, key.id);
    assert.equal(cache.verify(rotated.secret).state, "valid");
    fixture.clock.pass(59_999);
    assert.equal(cache.verify(secret).state, "valid");
    fixture.clock.pass(1);
    assert.equal(cache.verify(secret).state, "expired");
    assert.equal(cache.verify(rotated.secret).state, "valid");
  });

  test("a second rotation never extends a secret, and one without grace expires all older ones", async () => {
    await using fixture = await openFixture(open());
    const { key, secret: first } = await fixture.keys.create({ name: "demo", plan: "pro", test: false });
    const { secret: second } = await fixture.keys.rotate(key.id, 1000);
    const { secret: third } = await fixture.keys.rotate(key.id, 5000);
    await using cache = await openCache(fixture);
    fixture.clock.pass(1000);
    assert.deepEqual(
      [first, second, third].map((secret) => cache.verify(secret).state),
      ["expired", "valid", "valid"],
    );

    await fixture.keys.rotate(key.id, 0);
    await cache.refresh();
    assert.deepEqual(
      [first, second, third].map((secret) => cache.verify(secret).state),
      ["expired", "expired", "expired"],
    );
  });

  test("unknown and mistyped keys never reach the store and leave nothing in memory", async () => {
    await using fixture = await openFixture(open());
    await fixture.key();
    let looks = 0;
    const counted = async (sequence: number) => {
      looks += 1;
      return await fixture.store.changedSince(sequence);
    };
    await using cache = await openCache(fixture, { store: { ...fixture.store, changedSince: counted } });
    const form = { prefix: "dir_live_", test: false };
    const before = looks;
    for (let index = 0; index < 2000; index++) {
      const unknown = generateKey(form, randomBytes);
      assert.deepEqual(cache.verify(unknown), { state: "invalid" });
      assert.deepEqual(cache.verify(`${unknown}x`), { state: "invalid" });
    }
    assert.equal(looks, before);
    assert.equal(cache.size, 1);
  });

  test("loads more keys than fit in one page of changes", async () => {
    await using fixture = await openFixture(open());
    const { secret: first } = await fixture.keys.create({ name: "first", plan: "pro", test: true });
    const rows = Array.from({ length: 1001 }, (_, index) => ({
      id: `key_${index}`,
      name: "n",
      plan: "pro",
      test: 1,
      daily_items: null,
      created_at: 1,
      expires_at: null,
      revoked_at: null,
      rotated_at: null,
      changed: index + 2,
    }));
    await fixture.database.transaction(async (tx) => {
      await tx.insertInto("api_key").values(rows).execute();
      await tx.updateTable("api_key_sequence").set({ value: 1002 }).execute();
    });
    await using cache = await openCache(fixture);
    assert.equal(cache.size, 1002);
    const { secret: last } = await fixture.keys.create({ name: "last", plan: "pro", test: true });
    await cache.refresh();
    assert.deepEqual([cache.verify(first).state, cache.verify(last).state], ["valid", "valid"]);
  });

  test("keeps serving known keys while the store is unreachable, reports it, and catches up", async () => {
    await using fixture = await openFixture(open());
    const { secret } = await fixture.keys.create({ name: "demo", plan: "pro", test: false });
    let down = false;
    const changedSince = async (sequence: number) => {
      if (down) throw new Error("the store is away");
      return await fixture.store.changedSince(sequence);
    };
    let wake = (): void => undefined;
    const watch = (onChange: () => void) => {
      wake = onChange;
      return Promise.resolve(() => Promise.resolve());
    };
    await using cache = await openCache(fixture, { store: { ...fixture.store, changedSince, watch } });
    const seen = cache.refreshedAt();
    fixture.clock.pass(5000);

    down = true;
    wake();
    await assert.rejects(cache.refresh(), /away/);
    assert.match(String(fixture.errors.splice(0)), /away/);
    assert.equal(cache.verify(secret).state, "valid");
    assert.equal(cache.refreshedAt(), seen);

    down = false;
    await cache.refresh();
    assert.equal(cache.refreshedAt(), fixture.clock());
  });

  test("can be closed twice, and during a poll", async () => {
    await using fixture = await openFixture(open());
    const cache = await openCache(fixture);
    await Promise.all([cache.refresh(), cache.refresh(), cache.close(), cache.close()]);
    await cache.close();
  });

  if (stores.shared && stores.concurrent) {
    test("a key created or revoked by another process takes effect within a second", async () => {
      await using location = await stores.createLocation();
      await using fixture = await openFixture(location.open());
      await using elsewhere = await location.open();
      const onError = (error: unknown): void => void fixture.errors.push(error);
      await using cache = await openKeyCache({ store: openKeyStore(elsewhere), forms, clock: fixture.clock, onError });

      const { key, secret } = await fixture.keys.create({ name: "demo", plan: "pro", test: false });
      await becomes(cache, secret, "valid");
      await fixture.keys.revoke(key.id);
      await becomes(cache, secret, "revoked");
    });
  }
});

/** Waits for a state, at most the second that the contract allows. */
async function becomes(cache: KeyCache, secret: string, state: string): Promise<void> {
  const since = performance.now();
  while (cache.verify(secret).state !== state) {
    assert.ok(performance.now() - since < 1000, `not ${state} after a second`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
