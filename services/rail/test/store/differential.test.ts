/**
 * Runs the same random operations on three ledgers: the rules over in-memory rows, SQLite, and PostgreSQL's function.
 * They must agree in every outcome, and finally in every balance, charge, transfer and entry. Entries contain hashes,
 * so any difference is detected.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { VoidReason } from "@triptych/contracts";
import { openDatabase, sql, type Database } from "@triptych/storage";
import { postgresMissing, startPostgres, withoutPostgres } from "@triptych/storage/testing";
import * as fc from "fast-check";
import { NO_CAPS } from "../../src/domain/caps.ts";
import type { GatewayBatch } from "../../src/domain/charge-batch.ts";
import type { Ledger } from "../../src/domain/ledger.ts";
import type { Context } from "../../src/domain/post-entry.ts";
import type { TopupEvent } from "../../src/domain/topup-state.ts";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import { openLedger } from "../../src/store/open-ledger.ts";
import type { RailTables } from "../../src/store/tables.ts";
import type { MemoryRows } from "../support/memory-ledger.ts";
import { comparable, openRuleLedger, type RuleVerbs } from "./rule-ledger.ts";
import { BY, hashOf } from "./fixture.ts";

/** An operation on what exists so far. */
type Plan = (rows: MemoryRows) => Run;
type Run = (verbs: RuleVerbs, context: Context) => Promise<unknown>;

const DAY_MS = 86_400_000;
const WALLETS = ["w1", "w2", "w3"];
/** Sub-tokens: one of w1 with tight caps, one of w1 for a single operation, and one of w2, a capped wallet. */
const TOKENS = {
  t1: { wallet: "w1", ops: null, caps: { per_charge: 60_000, per_day: 1_500, per_month: null, total: 4_000 } },
  t2: { wallet: "w1", ops: ["route"], caps: NO_CAPS },
  t3: { wallet: "w2", ops: null, caps: { ...NO_CAPS, per_month: 2_500 } },
} as const;
const INSTANCES = ["gw-1", "gw-2", "gw-3"];
const walletId = (name: string) => `wal_${name}`;
const wallets = fc.constantFrom(...WALLETS);
const instances = fc.constantFrom(...INSTANCES);
const keys = fc.constantFrom(null, null, hashOf("k1"), hashOf("k1"), hashOf("k2"));

/** Attempt numbers relative to the highest charged number of the boot: repeated, next, or further ahead. */
const fromHighest = fc.integer({ min: -3, max: 4 });

const asks = fc.record({
  seq: fromHighest,
  walletHash: fc.constantFrom(...WALLETS, ...Object.keys(TOKENS), "nobody").map(hashOf),
  keyHash: keys,
  op: fc.constantFrom("route", "route", "score"),
  priceId: fc.constant("decision-v1"),
  priceMicro: fc.constantFrom(500, 500, 500, 70_000),
  req: fc.constantFrom("r1", "r1", "r1", "r2"),
  res: fc.constant("s"),
  sealed: fc.constantFrom(null, "sealed"),
});

const batches = fc.record({
  instance: instances,
  /** Most operations are for the live boot. */
  boot: fc.constantFrom(null, null, null, null, null, null, null, "b1"),
  ack: fc.option(
    fc.record({ through: fc.integer({ min: -4, max: 1 }), also: fc.array(fromHighest, { maxLength: 3 }) }),
  ),
  voids: fc.array(fc.record({ seq: fromHighest, reason: fc.constantFrom<VoidReason>("client_gone", "aborted") }), {
    maxLength: 2,
  }),
  charges: fc.array(asks, { maxLength: 5 }),
});

type RelativeBatch = typeof batches extends fc.Arbitrary<infer Item> ? Item : never;

function toBatch(rows: MemoryRows, { instance, ack, voids, charges, ...rest }: RelativeBatch): GatewayBatch {
  const live = [...rows.boots.values()].find((boot) => boot.instance === instance && boot.state === "live");
  const boot = rest.boot ?? live?.boot ?? "b1";
  const highest = [...rows.charges.values()]
    .filter((charge) => charge.instance === instance && charge.boot === boot)
    .reduce((most, { seq }) => Math.max(most, seq), 0);
  const seqOf = (offset: number) => Math.max(1, highest + offset);
  return {
    instance,
    boot,
    ack: ack && { through: Math.max(0, highest + ack.through), also: ack.also.map(seqOf) },
    voids: voids.map((item) => ({ ...item, seq: seqOf(item.seq) })),
    charges: charges.map((charge) => ({ ...charge, seq: seqOf(charge.seq) })),
  };
}

/** Boots of an instance have ascending names. Sometimes an old one sends another hello. */
function greeting(rows: MemoryRows, { instance, again }: { readonly instance: string; readonly again: boolean }) {
  const boots = [...rows.boots.values()].filter((boot) => boot.instance === instance).length;
  return { instance, boot: `b${again ? Math.max(1, boots) : boots + 1}` };
}

const events: fc.Arbitrary<TopupEvent> = fc.oneof(
  fc.constantFrom<TopupEvent>({ kind: "paid" }, { kind: "paid", amountMicro: 1, currency: "EUR" }),
  fc.record({ kind: fc.constantFrom("failed", "expired", "refunded", "disputed", "dispute_won", "dispute_lost") }),
);

const greetings = fc.record({ instance: instances, again: fc.boolean() }).map((input): Plan => (rows) => {
  const greeted = greeting(rows, input);
  return (verbs, context) => verbs.hello(greeted, context);
});
const sendings = fc.array(batches, { minLength: 1, maxLength: 3 }).map((inputs): Plan => (rows) => {
  const sent = inputs.map((batch) => toBatch(rows, batch));
  return (verbs, context) => verbs.applyBatches(sent, context);
});
const sweeps = fc.constant<Plan>(() => (verbs, context) => verbs.sweep(context, 1_000));
/** Gateways make charges and do not acknowledge them; then the clock is set back. */
const minutes = fc.constant<Plan>((rows) => {
  const live = [...rows.boots.values()].filter(({ state }) => state === "live");
  const beats = live.map(({ instance, boot }) => ({ instance, boot, ack: null, voids: [], charges: [] }));
  return async (verbs, context) => {
    for (const passed of [20_000, 40_000, 60_000])
      await verbs.applyBatches(beats, { ...context, now: context.now + passed });
    return await verbs.sweep({ ...context, now: context.now + 61_000 }, 1_000);
  };
});
const payments = fc.tuple(fc.integer({ min: 0, max: 3 }), events).map(
  ([index, event]): Plan =>
    () =>
    (verbs, context) =>
      verbs.applyTopupEvent(`top_${index}`, event, { context }),
);
const purchases = fc.tuple(wallets, fc.constantFrom("a", "b")).map(([name, ref]): Plan => () => (verbs, context) => {
  const thing = { sku: "custom-head", ref, priceId: "p", amountMicro: 30_000 };
  return verbs.buy({ walletId: walletId(name), ...thing }, context);
});
const adjustments = fc.tuple(wallets, fc.constantFrom(5_000, 90_000, -400, -50_000)).map(
  ([name, amountMicro]): Plan =>
    () =>
    (verbs, context) =>
      verbs.adjust(walletId(name), { amountMicro, ...BY, context }),
);
const refunds = fc.nat({ max: 20 }).map((index): Plan => (rows) => {
  const charges = [...rows.charges.keys()].sort();
  const id = charges[index % Math.max(1, charges.length)] ?? "none";
  return (verbs, context) => verbs.refundCharge(id, { ...BY, context });
});
const freezes = fc.tuple(wallets, fc.constantFrom(true, false, false)).map(
  ([name, frozen]): Plan =>
    () =>
    (verbs, context) =>
      verbs.setFrozen(walletId(name), frozen, { ...BY, context }),
);
const capChanges = fc
  .tuple(wallets, fc.constantFrom("per_charge", "per_day", "per_month"), fc.constantFrom(null, null, 600, 2_000, 8_000))
  .map(
    ([name, cap, micro]): Plan =>
      () =>
      (verbs) =>
        verbs.changeWallet(walletId(name), { caps: { [cap]: micro } }),
  );
const closings = wallets.map(
  (name): Plan =>
    () =>
    (verbs, context) =>
      verbs.closeWallet(walletId(name), context),
);

/**
 * An operation and the time that passes after it: usually less than a lease, sometimes the lifetime of a key or of
 * promo credit.
 */
const steps = fc.record({
  plan: fc.oneof(
    { weight: 10, arbitrary: greetings },
    { weight: 40, arbitrary: sendings },
    { weight: 3, arbitrary: sweeps },
    { weight: 3, arbitrary: minutes },
    { weight: 8, arbitrary: payments },
    { weight: 3, arbitrary: purchases },
    { weight: 4, arbitrary: adjustments },
    { weight: 5, arbitrary: refunds },
    { weight: 3, arbitrary: freezes },
    { weight: 4, arbitrary: capChanges },
    { weight: 1, arbitrary: closings },
  ),
  passMs: fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(0, 1, 1_000, 9_000) },
    { weight: 4, arbitrary: fc.constantFrom(20_000, 29_999) },
    { weight: 4, arbitrary: fc.constantFrom(DAY_MS, 2 * DAY_MS, 31 * DAY_MS, -DAY_MS) },
    { weight: 2, arbitrary: fc.constantFrom(30_000, 61_000, 8 * DAY_MS, 91 * DAY_MS) },
  ),
});

type Work = typeof steps extends fc.Arbitrary<infer Item> ? readonly Item[] : never;

const missing = postgresMissing();
const RUNS = process.env["TEST_LONG"] === undefined ? 8 : 100;

describe("three ledgers", () => {
  let postgres: Database<RailTables> | undefined;

  before(async () => {
    if (missing !== undefined) return;
    const url = await (await startPostgres({ durable: false })).createDatabase();
    postgres = await openDatabase<RailTables>({ url, schema: "rail", migrations: RAIL_MIGRATIONS });
  });
  after(async () => postgres?.close());

  test("PostgreSQL is available for the comparison", { skip: withoutPostgres() }, () => {
    assert.equal(missing, undefined);
  });

  test("random operations have the same outcomes, balances, charges, transfers and hashes on all ledgers", async () => {
    const property = fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), async (work) => {
      await using sqlite = await openDatabase<RailTables>({
        url: "sqlite::memory:",
        schema: "rail",
        migrations: RAIL_MIGRATIONS,
      });
      if (postgres !== undefined) await empty(postgres);
      await compare([sqlite, ...(postgres === undefined ? [] : [postgres])].map(openLedger), work);
    });
    await fc.assert(property, {
      seed: 20_260_117,
      numRuns: RUNS,
      endOnFailure: false,
    });
  });
});

async function compare(ledgers: readonly Ledger[], work: Work): Promise<void> {
  const { rows, verbs } = openRuleLedger();
  const all = [verbs, ...ledgers.map(comparable)];
  let now = Date.parse("2026-03-01T00:00:00.001Z");
  let step = 0;
  const onAll = async (run: Run): Promise<void> => {
    step += 1;
    const [expected, ...outcomes] = await Promise.all(all.map((ledger) => run(ledger, contextAt(step, now))));
    for (const outcome of outcomes) assert.deepEqual(outcome, expected);
  };

  for (const name of WALLETS) {
    const about = { id: walletId(name), label: null, emailSealed: new Uint8Array(), emailLookup: name, network: name };
    const token = {
      tokenHash: hashOf(name),
      tokenHint: "abcd",
      judgeStarter: () => (name === "w2" ? "deferred" : "granted"),
    } as const;
    await onAll((ledger, context) => ledger.createWallet({ ...about, ...token }, context));
    await onAll((ledger, context) => ledger.adjust(walletId(name), { amountMicro: 45_100, ...BY, context }));
  }
  for (const [name, { wallet, caps, ops }] of Object.entries(TOKENS)) {
    const about = { id: `tok_${name}`, walletId: walletId(wallet), tokenHash: hashOf(name), hint: "abcd", name };
    await onAll((ledger) => ledger.createSubToken({ ...about, caps, ops, expiresAt: null, now }));
  }
  for (let at = 0; at < 4; at++) {
    const topup = {
      id: `top_${at}`,
      walletId: walletId(WALLETS[at % 3] ?? ""),
      provider: "manual",
      sessionRef: null,
      state: "pending",
      amountMicro: 40_000,
      checkoutUrl: null,
      createdAt: now,
      expiresAt: null,
      entryId: null,
      checkAt: null,
      checks: 0,
    } as const;
    await onAll((ledger) => ledger.createTopup(topup));
  }
  for (const instance of INSTANCES) await onAll((ledger, context) => ledger.hello({ instance, boot: "b1" }, context));
  for (const { plan, passMs } of work) {
    await onAll(plan(rows));
    now += passMs;
    // Gateways come back after days.
    if (passMs > DAY_MS)
      for (const instance of INSTANCES) {
        const greeted = greeting(rows, { instance, again: false });
        await onAll((ledger, context) => ledger.hello(greeted, context));
      }
  }

  const byId = <Row extends { readonly id: string }>(found: Iterable<Row>) =>
    [...found].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const ledger of ledgers) {
    assert.deepEqual(byId(await ledger.walletHeads()), byId(rows.wallets.values()));
    for (const token of rows.subTokens.values())
      assert.deepEqual((await ledger.subToken(token.id))?.spend, token.spend);
    assert.deepEqual(byId(await gathered(ledger.allEntries())), byId(rows.entries));
    assert.deepEqual(byId(await gathered(ledger.transfers())), byId(rows.transfers));
    assert.deepEqual(byId(await gathered(ledger.allCharges())), byId(rows.charges.values()));
    const { violations } = await ledger.audit();
    assert.deepEqual(violations, []);
  }
}

/** IDs depend on the operation and their order in it, so that all ledgers generate the same ones. */
function contextAt(step: number, now: number): Context {
  const made = new Map<string, number>();
  const newId = (prefix: string) => {
    const count = (made.get(prefix) ?? 0) + 1;
    made.set(prefix, count);
    return `${prefix}${String(step).padStart(12, "0")}${String(count).padStart(14, "0")}`;
  };
  return { now, newId, issuer: "http://rail.test", kid: "kid-1", revenue: "revenue:decisions:test" };
}

async function empty({ db }: Database<RailTables>): Promise<void> {
  await sql`
    truncate wallet, wallet_owner, wallet_token, token_budget, sub_token, account, entry, transfer, instance, charge, forestalled, response, topup, auto_topup,
             provider_event, entitlement, signing_key, starter_grant, once, operator_act`.execute(db);
}

async function gathered<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}
