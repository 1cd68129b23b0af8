import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import type { StarterGrant } from "../../src/domain/ledger.ts";
import { NO_CAPS, NO_SPEND } from "../../src/domain/caps.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { ask, BY, hashOf, createFixture } from "./fixture.ts";

const engines = ["SQLite in memory", "PostgreSQL"] as const;

forEachEngine<RailTables>("wallets", { migrations: RAIL_MIGRATIONS, engines }, (open) => {
  test("finds a wallet with all its fields by its ID and by its token", async () => {
    await using fixture = createFixture(await open());
    const id = await fixture.openWallet("w1", 0, { label: "für Zoë", judgeStarter: () => "granted" });
    const wallet = await fixture.ledger.wallet(id);
    assert.ok(wallet !== null);
    const { head, ...rest } = wallet;
    assert.match(head, /^[0-9a-f]{64}$/);
    assert.deepEqual(rest, {
      id,
      status: "active",
      paidMicro: 0,
      promoMicro: 100_000,
      promoExpiresAt: fixture.now + 90 * 86_400_000,
      seq: 1,
      label: "für Zoë",
      emailSealed: new Uint8Array([1, 2]),
      emailLookup: hashOf("w1@"),
      tokenHint: "abcd",
      lowBalanceMicro: 0,
      alerts: [80, 100],
      caps: NO_CAPS,
      spend: NO_SPEND,
      createdAt: fixture.now,
    });
    assert.deepEqual(await fixture.ledger.walletOf(hashOf("w1"), fixture.now), { ...wallet, token: null });
    assert.equal(await fixture.ledger.walletOf(hashOf("other"), fixture.now), null);
    assert.equal(await fixture.ledger.wallet("wal_none"), null);
  });

  test("label and threshold change separately and together", async () => {
    await using fixture = createFixture(await open());
    const id = await fixture.openWallet("w1", 0, { label: "first" });
    assert.equal((await fixture.ledger.changeWallet(id, { lowBalanceMicro: 5_000 }))?.label, "first");
    const changed = await fixture.ledger.changeWallet(id, { label: null });
    assert.deepEqual([changed?.label, changed?.lowBalanceMicro], [null, 5_000]);
    assert.equal((await fixture.ledger.changeWallet(id, {}))?.lowBalanceMicro, 5_000);
    assert.equal(await fixture.ledger.changeWallet("wal_none", { label: "x" }), null);
  });

  test("a new token is valid immediately, the previous one until its grace period ends", async () => {
    await using fixture = createFixture(await open());
    const id = await fixture.openWallet("w1", 0);
    const rotation = { tokenHint: "wxyz", previousUntil: fixture.now + 1_000, now: fixture.now };
    await fixture.ledger.rotateToken(id, { ...rotation, tokenHash: hashOf("second") });
    const until = async (name: string, now: number) => (await fixture.ledger.walletOf(hashOf(name), now))?.id;
    assert.deepEqual([await until("w1", fixture.now + 999), await until("w1", fixture.now + 1_000)], [id, undefined]);
    assert.equal(await until("second", fixture.now + 1_000), id);
    assert.equal((await fixture.ledger.wallet(id))?.tokenHint, "wxyz");
    // A shorter grace period also ends the earlier token, and a longer one does not make it valid again.
    await fixture.ledger.rotateToken(id, { ...rotation, tokenHash: hashOf("third"), previousUntil: fixture.now });
    assert.deepEqual([await until("w1", fixture.now), await until("second", fixture.now)], [undefined, undefined]);
    assert.equal(await until("third", fixture.now), id);
  });

  test("a closed wallet keeps its entries and nothing that identifies its owner", async () => {
    await using fixture = createFixture(await open());
    const id = await fixture.openWallet("w1", 500, { label: "mine" });
    const closed = await fixture.ledger.closeWallet(id, fixture.context());
    assert.deepEqual(
      [closed?.status, closed?.emailSealed, closed?.emailLookup, closed?.label, closed?.paidMicro],
      ["closed", null, null, null, 500],
    );
    assert.equal(await fixture.ledger.walletOf(hashOf("w1"), fixture.now), null);
    assert.deepEqual(await fixture.ledger.walletsOfEmail(hashOf("w1@"), 10), []);
    assert.equal((await fixture.ledger.setFrozen(id, false, { ...BY, context: fixture.context() }))?.status, "closed");
    assert.equal(await fixture.ledger.adjust(id, { amountMicro: 1, ...BY, context: fixture.context() }), "closed");
    assert.equal(await fixture.ledger.closeWallet("wal_none", fixture.context()), null);
  });

  test("lists the wallets of an address newest first, up to a limit", async () => {
    await using fixture = createFixture(await open());
    const about = { emailLookup: hashOf("zoe@") };
    const first = await fixture.openWallet("w1", 0, about);
    const second = await fixture.openWallet("w2", 0, about);
    await fixture.openWallet("w3", 0);
    const ids = async (limit: number) =>
      (await fixture.ledger.walletsOfEmail(hashOf("zoe@"), limit)).map(({ id }) => id);
    assert.deepEqual([await ids(5), await ids(1)], [[second, first], [second]]);
  });

  test("an adjustment is an entry with the operator's reason, and never goes below zero", async () => {
    await using fixture = createFixture(await open());
    const id = await fixture.openWallet("w1", 1_000);
    const by = { ...BY, context: fixture.context() };
    assert.equal(await fixture.ledger.adjust(id, { amountMicro: -1_001, ...by }), "too_low");
    const adjusted = await fixture.ledger.adjust(id, { amountMicro: -1_000, ...by });
    assert.ok(adjusted !== null && typeof adjusted === "object");
    assert.equal(adjusted.paidMicro, 0);
    const [last] = await fixture.ledger.entries(id, { kinds: [], since: null, until: null, before: null, limit: 1 });
    assert.deepEqual([last?.kind, last?.amountMicro, last?.op], ["adjustment", -1_000, "a test"]);
    assert.equal(await fixture.ledger.adjust("wal_none", { amountMicro: 1, ...by }), null);
  });

  test("freezing records operator and reason, once", async () => {
    await using fixture = createFixture(await open());
    const id = await fixture.openWallet("w1", 0);
    const by = () => ({ ...BY, context: fixture.context() });
    assert.equal((await fixture.ledger.setFrozen(id, true, by()))?.status, "frozen");
    assert.equal((await fixture.ledger.setFrozen(id, true, by()))?.status, "frozen");
    const acts = await fixture.database.db.selectFrom("operator_act").selectAll().execute();
    assert.deepEqual(
      acts.map(({ act, operator, reason }) => [act, operator, reason]),
      [["freeze", "olivia", "a test"]],
    );
    assert.equal(await fixture.ledger.setFrozen("wal_none", true, by()), null);
  });

  test("decides about starter credit from the address's history and its network's last 30 days", async () => {
    await using fixture = createFixture(await open());
    const seen: (readonly StarterGrant[])[] = [];
    const judging = (grants: readonly StarterGrant[]) => {
      seen.push(grants);
      return "granted" as const;
    };
    await fixture.openWallet("w1", 0, { emailLookup: hashOf("zoe@"), network: "n1", judgeStarter: judging });
    const first = { emailLookup: hashOf("zoe@"), network: "n1", amountMicro: 100_000, at: fixture.now };
    await fixture.openWallet("w2", 0, { emailLookup: hashOf("ada@"), network: "n2", judgeStarter: judging });
    fixture.now += 31 * 86_400_000;
    await fixture.openWallet("w3", 0, { emailLookup: hashOf("zoe@"), network: "n2", judgeStarter: judging });
    await fixture.openWallet("w4", 0, { emailLookup: hashOf("eve@"), network: "n2", judgeStarter: () => "deferred" });
    await fixture.openWallet("w5", 0, { emailLookup: hashOf("eve@"), network: "n2", judgeStarter: judging });
    assert.deepEqual(seen[0], []);
    assert.deepEqual(seen[1], [first]);
    assert.deepEqual(seen[2], [first]);
    assert.deepEqual(
      seen[3]?.map(({ at, network }) => [at, network]),
      [[fixture.now, "n2"]],
      "what was not granted does not count",
    );
  });

  test("decides about pending starter credit on verification, once", async () => {
    await using fixture = createFixture(await open());
    const id = await fixture.openWallet("w1", 300, { judgeStarter: () => "pending_verification" });
    const judged = await fixture.ledger.verifyStarter(id, () => "granted", fixture.context());
    assert.deepEqual([judged?.starter, judged?.wallet.promoMicro, judged?.wallet.paidMicro], ["granted", 100_000, 300]);
    const again = await fixture.ledger.verifyStarter(id, () => "granted", fixture.context());
    assert.deepEqual([again?.starter, again?.wallet.promoMicro], ["granted", 100_000]);
    const other = await fixture.openWallet("w2", 0, { judgeStarter: () => "pending_verification" });
    assert.equal(
      (await fixture.ledger.verifyStarter(other, () => "already_used", fixture.context()))?.starter,
      "already_used",
    );
    assert.equal((await fixture.ledger.verifyStarter(other, () => "granted", fixture.context()))?.wallet.promoMicro, 0);
    assert.equal(await fixture.ledger.verifyStarter("wal_none", () => "granted", fixture.context()), null);
    fixture.now += 90 * 86_400_000;
    assert.equal((await fixture.ledger.sweep(fixture.context(), 10)).promosExpired, 1);
  });

  test("one of ten wallets created concurrently for one address gets starter credit", async () => {
    await using fixture = createFixture(await open());
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        fixture.openWallet(`w${index}`, 0, {
          emailLookup: hashOf("zoe@"),
          judgeStarter: (grants) => (grants.length === 0 ? "granted" : "already_used"),
        }),
      ),
    );
    const wallets = await Promise.all(ids.map((id) => fixture.ledger.wallet(id)));
    assert.equal(wallets.filter((wallet) => (wallet?.promoMicro ?? 0) > 0).length, 1);
  });

  test("lists entries newest first, by kind, by time and below a number", async () => {
    await using fixture = createFixture(await open());
    const id = await fixture.openWallet("w1", 10_000, { judgeStarter: () => "granted" });
    await fixture.greet();
    const times: number[] = [];
    for (let seq = 1; seq <= 4; seq++) {
      fixture.now += 10_000;
      times.push(fixture.now);
      await fixture.charge(ask(seq));
    }
    await fixture.send({ voids: [{ seq: 3, reason: "client_gone" }] });
    const all = { kinds: [], since: null, until: null, before: null, limit: 50 };
    const seqs = async (filter: Partial<Parameters<typeof fixture.ledger.entries>[1]>) =>
      (await fixture.ledger.entries(id, { ...all, ...filter })).map(({ seq }) => seq);
    assert.deepEqual(await seqs({}), [7, 6, 5, 4, 3, 2, 1]);
    assert.deepEqual(await seqs({ limit: 2 }), [7, 6]);
    assert.deepEqual(await seqs({ before: 3 }), [2, 1]);
    assert.deepEqual(await seqs({ kinds: ["charge"] }), [6, 5, 4, 3]);
    assert.deepEqual(await seqs({ kinds: ["void", "starter"] }), [7, 1]);
    assert.deepEqual(await seqs({ since: times[1] ?? 0, until: times[3] ?? 0 }), [5, 4]);
    assert.deepEqual(await seqs({ since: times[3] ?? 0 }), [7, 6]);
    assert.deepEqual(await fixture.ledger.entries("wal_none", all), []);
  });

  test("a clock set back by less than an hour hides no entry from a period", async () => {
    await using fixture = createFixture(await open());
    const id = await fixture.openWallet("w1", 10_000);
    await fixture.greet();
    const start = fixture.now;
    const offsets = [0, 50, 10, 70, 20, 120, 80, 200].map((minutes) => minutes * 60_000);
    for (const [index, offset] of offsets.entries()) {
      fixture.now = start + offset;
      await fixture.greet("gw-1", `c${index}`);
      await fixture.charge(ask(1), `c${index}`);
      await fixture.send({ boot: `c${index}`, ack: { through: 1, also: [] } });
    }
    const inside = async (since: number, until: number) => {
      const found = await fixture.ledger.entries(id, { kinds: ["charge"], since, until, before: null, limit: 50 });
      return found.map(({ createdAt }) => createdAt - start).sort((a, b) => a - b);
    };
    for (const from of offsets)
      for (const to of offsets) {
        const expected = offsets.filter((offset) => offset >= from && offset < to).sort((a, b) => a - b);
        assert.deepEqual(await inside(start + from, start + to), expected);
      }
  });

  test("usage is the sum of charges that stayed billed, by day, hour and operation", async () => {
    await using fixture = createFixture(await open());
    const id = await fixture.openWallet("w1", 100_000);
    fixture.now = Date.parse("2026-05-01T23:30:00.000Z");
    await fixture.greet();
    await fixture.send({ charges: [ask(1), ask(2, { op: "score" }), ask(3)] });
    fixture.now = Date.parse("2026-05-02T00:10:00.000Z");
    await fixture.greet("gw-1", "b2");
    await fixture.send({ boot: "b2", charges: [ask(1, { priceMicro: 700 }), ask(2)] });
    await fixture.send({ boot: "b2", voids: [{ seq: 2, reason: "aborted" }] });
    const span = { from: Date.parse("2026-05-01T00:00:00Z"), to: Date.parse("2026-05-03T00:00:00Z") };
    // The second boot's hello voided the charges of the first.
    assert.deepEqual(await fixture.ledger.usage(id, { ...span, by: "day" }), [
      { bucket: "2026-05-02", decisions: 1, amountMicro: 700 },
    ]);
    await fixture.send({ boot: "b2", charges: [ask(4, { op: "score" })] });
    fixture.now = Date.parse("2026-05-02T01:00:00.000Z");
    await fixture.greet("gw-2", "b1");
    await fixture.ledger.applyBatches(
      [{ instance: "gw-2", boot: "b1", ack: null, voids: [], charges: [ask(1)] }],
      fixture.context(),
    );
    assert.deepEqual(await fixture.ledger.usage(id, { ...span, by: "hour" }), [
      { bucket: "2026-05-02T00:00:00.000Z", decisions: 2, amountMicro: 1_200 },
      { bucket: "2026-05-02T01:00:00.000Z", decisions: 1, amountMicro: 500 },
    ]);
    assert.deepEqual(await fixture.ledger.usage(id, { ...span, by: "op" }), [
      { bucket: "route", decisions: 2, amountMicro: 1_200 },
      { bucket: "score", decisions: 1, amountMicro: 500 },
    ]);
    assert.deepEqual(await fixture.ledger.usage(id, { from: span.from, to: fixture.now, by: "op" }), [
      { bucket: "route", decisions: 1, amountMicro: 700 },
      { bucket: "score", decisions: 1, amountMicro: 500 },
    ]);
  });
});
