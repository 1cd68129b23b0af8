/** Test fixture for keys: a store, a controllable clock, and captured errors that must stay empty. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Database } from "@triptych/storage";
import { meteringMigrations } from "@triptych/usage-metering";
import {
  createKeys,
  liveAndTest,
  openKeyStore,
  type ApiKey,
  type ApiKeyService,
  type ApiKeyTables,
  type KeyPlans,
  type KeyStore,
  type NewKey,
} from "../src/index.ts";

export const START = Date.UTC(2026, 10, 20, 13, 59, 48);
export const DAY = 86_400_000;

export const forms = liveAndTest("dir");
export const migrations = [meteringMigrations];

const plans: KeyPlans = new Map([
  ["discovery", { id: "discovery", itemsPerDay: 2000, raisable: false }],
  ["pro", { id: "pro", itemsPerDay: 50_000, raisable: true }],
]);

export interface Fixture extends AsyncDisposable {
  readonly database: Database<ApiKeyTables>;
  readonly store: KeyStore;
  readonly keys: ApiKeyService;
  readonly clock: { (): number; pass(ms: number): void };
  /** Captured errors. A test must remove those that it expects: the rest fail it. */
  readonly errors: unknown[];
  /** Creates a test key of the plan pro, which allows any limit. */
  key(options?: Partial<NewKey>): Promise<ApiKey>;
}

export async function openFixture(opening: Promise<Database<ApiKeyTables>>): Promise<Fixture> {
  const database = await opening;
  let now = START;
  const clock = Object.assign(() => now, { pass: (ms: number) => void (now += ms) });
  const errors: unknown[] = [];
  const store = openKeyStore(database);
  const keys = createKeys({ store, plans, forms, clock, random: randomBytes });
  return {
    database,
    store,
    keys,
    clock,
    errors,
    key: async (options) => (await keys.create({ name: "demo", plan: "pro", test: true, ...options })).key,
    async [Symbol.asyncDispose]() {
      await database.close();
      assert.deepEqual(errors, []);
    },
  };
}
