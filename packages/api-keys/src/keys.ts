/**
 * Operator commands for keys. Only `create` and `rotate` return a secret. Keys are never deleted, because usage and
 * bills reference them, and a revoked key must be reported as revoked.
 */
import { ulid, type RandomSource } from "@triptych/ids";
import { hashKey, generateKey, type KeyForm } from "./key.ts";
import { checkKey, KeyError, type ApiKey, type DailyItems, type KeyPlans } from "./key-record.ts";
import type { KeyChange, KeyStore } from "./key-store.ts";

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
  /** The secret. Show it once and do not store it. */
  readonly secret: string;
}

/** All methods throw a `KeyError` for invalid input. */
export interface ApiKeyService {
  create(input: NewKey): Promise<KeyWithSecret>;
  list(page?: { readonly after?: string; readonly limit?: number }): Promise<readonly ApiKey[]>;
  show(id: string): Promise<ApiKey>;
  set(id: string, settings: KeySettings): Promise<ApiKey>;
  /** The old secret stays valid for another `graceMs`; 0 expires it immediately. */
  rotate(id: string, graceMs: number): Promise<KeyWithSecret>;
  /** Idempotent: the time of the first revocation is kept. */
  revoke(id: string): Promise<ApiKey>;
}

export interface KeysOptions {
  readonly store: KeyStore;
  readonly plans: KeyPlans;
  /** If the service has test keys, exactly one form has `test: true`. */
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
        throw new KeyError(
          "bad_time",
          `the grace period must be a whole number of milliseconds from 0, not ${graceMs}`,
        );
      }
      const now = clock();
      const seen = found(id, await store.find(id));
      const secret = generateKey(formFor(seen.test), random);
      const key = await change(id, (current) => {
        if (current.revokedAt !== null) {
          throw new KeyError("key_revoked", `the key ${id} is revoked and cannot be rotated; create a new one`);
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

function named(settings: KeySettings): KeySettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function found(id: string, key: ApiKey | undefined): ApiKey {
  if (key === undefined) throw new KeyError("unknown_key", `there is no key ${id}; list all keys with keys list`);
  return key;
}

/** An expiry date in the past is most likely a typo. */
function checkFuture(expiresAt: number | null, now: number): void {
  if (expiresAt === null) return;
  if (!Number.isSafeInteger(expiresAt) || expiresAt <= now) {
    throw new KeyError("bad_time", "the expiry date is in the past; set a date in the future, or revoke the key");
  }
}
