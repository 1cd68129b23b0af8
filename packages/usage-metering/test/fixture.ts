/** Test fixture for metering: a store, a controllable clock, and captured errors that must stay empty. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after } from "node:test";
import { createSlidingWindow } from "@triptych/rate-limit";
import type { Database } from "@triptych/storage";
import {
  createKeys,
  liveAndTest,
  openKeyStore,
  type ApiKey,
  type ApiKeyService,
  type KeyStore,
  type NewKey,
  type ApiKeyTables,
} from "@triptych/api-keys";
import type { RandomSource } from "@triptych/ids";
import {
  createBillingLedger,
  definePlans,
  meteringMigrations,
  openEmbeddedMeter,
  openPostgresMeter,
  type Admission,
  type BillingLedger,
  type Meter,
  type MeteringTables,
  type Outcome,
  type Plans,
  type Reservation,
} from "../src/index.ts";

/** 2026-11-20 13:59:48 UTC: 36 012 s before midnight, as in the examples of the contract. */
export const START = Date.UTC(2026, 10, 20, 13, 59, 48);
export const DAY = 86_400_000;

/** A store with the tables of this package and of API keys, as services have it. */
export type TestTables = MeteringTables & ApiKeyTables;

export const forms = liveAndTest("dir");
export const migrations = [meteringMigrations];

export const plans: Plans = definePlans([
  { id: "discovery", itemsPerDay: 2000, requestsPerMinute: 120, raisable: false, tiers: [] },
  { id: "pro", itemsPerDay: 50_000, requestsPerMinute: 120, raisable: true, tiers: [{ upTo: null, priceMicro: 100 }] },
  { id: "slow", itemsPerDay: 50_000, requestsPerMinute: 12, raisable: true, tiers: [] },
  {
    id: "busy",
    itemsPerDay: null,
    requestsPerMinute: 100_000,
    raisable: true,
    tiers: [{ upTo: null, priceMicro: 100 }],
  },
  {
    id: "tiered",
    itemsPerDay: 50_000,
    requestsPerMinute: 100_000,
    raisable: true,
    tiers: [
      { upTo: 50, priceMicro: 100 },
      { upTo: 200, priceMicro: 7 },
      { upTo: null, priceMicro: 3 },
    ],
  },
]);

/**
 * Shares one store between the tests of a suite, each with its own keys, because opening a store on disk takes tens of
 * milliseconds. Closed after the suite.
 */
export function shareStore(open: () => Promise<Database<TestTables>>): () => Promise<Database<TestTables>> {
  let opening: Promise<Database<TestTables>> | undefined;
  const keep = (): Promise<void> => Promise.resolve();
  after(async () => (await opening)?.close());
  return async () => ({ ...(await (opening ??= open())), close: keep, [Symbol.asyncDispose]: keep });
}

export interface MeterFixture extends AsyncDisposable {
  readonly database: Database<TestTables>;
  readonly store: KeyStore;
  readonly keys: ApiKeyService;
  readonly ledger: BillingLedger;
  readonly clock: TestClock;
  readonly random: RandomSource;
  /** Captured errors. A test must remove those that it expects: the rest fail it. */
  readonly errors: unknown[];
  /** Creates a test key of the plan pro, which allows any limit. */
  key(options?: Partial<NewKey>): Promise<ApiKey>;
  /** Opens the engine's meter; each call acts as another process. Closed with the fixture. */
  meter(changed?: { readonly plans?: Plans; readonly maxPending?: number }): Promise<Meter>;
}

export interface TestClock {
  (): number;
  set(at: number): void;
  pass(ms: number): void;
}

export async function openFixture(opening: Promise<Database<TestTables>>): Promise<MeterFixture> {
  const database = await opening;
  const clock = createClock(START);
  // Real randomness, because fixtures of a suite may share a store, and their IDs must differ.
  const random = randomBytes;
  const errors: unknown[] = [];
  const meters: Meter[] = [];
  const store = openKeyStore(database);
  const keys = createKeys({ store, plans, forms, clock, random });
  const ledger = createBillingLedger({ database, service: "directory", clock, random });

  return {
    database,
    store,
    keys,
    ledger,
    clock,
    random,
    errors,
    async key(options) {
      const { key } = await keys.create({ name: "demo", plan: "pro", test: true, ...options });
      return key;
    },
    async meter(changed) {
      const options = {
        database,
        plans,
        window: createSlidingWindow(),
        clock,
        random,
        onError: (error: unknown) => void errors.push(error),
        ...changed,
      };
      const meter = database.engine === "sqlite" ? await openEmbeddedMeter(options) : openPostgresMeter(options);
      meters.push(meter);
      return meter;
    },
    async [Symbol.asyncDispose]() {
      for (const meter of meters) await meter.close();
      await database.close();
      assert.deepEqual(errors, []);
    },
  };
}

function createClock(start: number): TestClock {
  let now = start;
  return Object.assign(() => now, {
    set: (at: number) => void (now = at),
    pass: (ms: number) => void (now += ms),
  });
}

/** Reproducible random bytes (mulberry32). */
export function createRandom(seed: number): RandomSource {
  let state = seed;
  return (count) =>
    Uint8Array.from({ length: count }, () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return (mixed ^ (mixed >>> 14)) & 255;
    });
}

/** Outcome of a request that sent `items`. */
export function outcome(items: number, changed?: Partial<Outcome>): Outcome {
  return {
    requestId: "client-says",
    route: "/api/items",
    status: 200,
    items,
    bytes: 40 + items * 100,
    geo: false,
    ...changed,
  };
}

/** Runs a complete request: admits it, and settles it with the granted items. */
export async function request(meter: Meter, key: ApiKey, items: number): Promise<Admission> {
  const admission = await meter.admit(key, items);
  if (admission.verdict === "accepted")
    await meter.settle(admission.reservation, outcome(admission.reservation.granted));
  if (admission.verdict === "quota_exceeded") await meter.settle(admission.reservation, outcome(0, { status: 429 }));
  return admission;
}

/** The reservation of an accepted request. */
export async function admitted(admitting: Admission | Promise<Admission>): Promise<Reservation> {
  const admission = await admitting;
  assert.ok(admission.verdict === "accepted", admission.verdict);
  return admission.reservation;
}
