/**
 * The operator's verbs on keys: create, list, show, set, rotate, revoke. A secret is in the answer of `create` and `rotate` and
 * nowhere else, ever. A key is never deleted: its rows and bills keep pointing at it, and a revoked key must say so.
 */
import { hashKey, generateKey, type KeyForm } from "./key.ts";
import { checkKey, KeyFault, type DailyItems, type ApiKey } from "./key-record.ts";
import type { KeyChange, KeyStore } from "./key-store.ts";
import type { Plans } from "./plan.ts";
import { ulid, type RandomSource } from "./ulid.ts";

export interface NewKey {
  readonly name: string;
  readonly plan: string;
  readonly test: boolean;
  readonly dailyItems?: DailyItems;
  readonly expiresAt?: number | null;
}

export type KeySettings = Partial<Pick<ApiKey, "name" | "plan" | "dailyItems" | "expiresAt">>;

export interface KeyWithSecret {
  readonly key: ApiKey;
  /** The text of the key. Show it once, store it nowhere. */
  readonly secret: string;
}

/** Every verb throws a `KeyFault` when the operator asks for what cannot be. */
export interface ApiKeyService {
  create(input: NewKey): Promise<KeyWithSecret>;
  list(page?: { readonly after?: string; readonly limit?: number }): Promise<readonly ApiKey[]>;
  show(id: string): Promise<ApiKey>;
  set(id: string, settings: KeySettings): Promise<ApiKey>;
  /** The old secret stays valid for `graceMs` more; 0 ends it at once. */
  rotate(id: string, graceMs: number): Promise<KeyWithSecret>;
  /** Twice is as good as once: the first time stays. */
  revoke(id: string): Promise<ApiKey>;
}

export interface KeysOptions {
  readonly store: KeyStore;
  readonly plans: Plans;
  /** Exactly one form with `test: true` where the service has test keys. */
  readonly forms: readonly KeyForm[];
  readonly clock: () => number;
  readonly random: RandomSource;
}

const LIST_LIMIT = 1000;

export function createKeys({ store, plans, forms, clock, random }: KeysOptions): ApiKeyService {
  return {
    async create({ name, plan, test, dailyItems = "plan", expiresAt = null }) {
      const now = clock();
      const id = ulid("key", now, random);
      const dates = { createdAt: now, expiresAt, revokedAt: null, rotatedAt: null };
      const key: ApiKey = { id, name, plan, test, dailyItems, ...dates };
      checkKey(key, plans);
      checkFuture(expiresAt, now);

      const secret = generateKey(formFor(test), random);
      await store.add(key, hashKey(secret));
      return { key, secret };
    },

    list({ after, limit = LIST_LIMIT } = {}) {
      return store.list({ limit: Math.min(limit, LIST_LIMIT), ...(after === undefined ? {} : { after }) });
    },

    async show(id) {
      return found(id, await store.find(id));
    },

    set(id, input) {
      const now = clock();
      const settings = named(input);
      return change(id, (key) => {
        checkKey({ ...key, ...settings }, plans);
        checkFuture(settings.expiresAt ?? null, now);
        return { set: settings };
      });
    },

    async rotate(id, graceMs) {
      if (!Number.isSafeInteger(graceMs) || graceMs < 0) {
        throw new KeyFault("bad_time", `the grace must be a whole number of milliseconds from 0, not ${graceMs}`);
      }
      const now = clock();
      const seen = found(id, await store.find(id));
      const secret = generateKey(formFor(seen.test), random);
      const key = await change(id, (current) => {
        if (current.revokedAt !== null) {
          throw new KeyFault("key_revoked", `the key ${id} is revoked, so it cannot be rotated; create a new one`);
        }
        return { set: { rotatedAt: now }, rotate: { hash: hashKey(secret), at: now, othersUntil: now + graceMs } };
      });
      return { key, secret };
    },

    revoke(id) {
      const now = clock();
      return change(id, (key) => ({ set: { revokedAt: key.revokedAt ?? now } }));
    },
  };

  async function change(id: string, decide: (key: ApiKey) => KeyChange): Promise<ApiKey> {
    return found(id, await store.change(id, decide));
  }

  function formFor(test: boolean): KeyForm {
    const form = forms.find((candidate) => candidate.test === test);
    if (form === undefined) throw new Error(`this service has no ${test ? "test" : "live"} keys`);
    return form;
  }
}

/** Without the settings that are there but undefined, as a command line leaves those nobody gave. */
function named(settings: KeySettings): KeySettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function found(id: string, key: ApiKey | undefined): ApiKey {
  if (key === undefined) throw new KeyFault("unknown_key", `there is no key ${id}; keys list shows them all`);
  return key;
}

/** A key that is born dead is a typing error in its date. */
function checkFuture(expiresAt: number | null, now: number): void {
  if (expiresAt === null) return;
  if (!Number.isSafeInteger(expiresAt) || expiresAt <= now) {
    throw new KeyFault("bad_time", "the key would have expired already; give a date in the future, or revoke it");
  }
}
