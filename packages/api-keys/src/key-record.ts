/**
 * A key has one record and one or more secrets. Rotation adds a secret and expires older ones, so windows, counters
 * and bills continue under the same ID.
 */

/** Limits of a plan that apply to the settings of its keys. */
export interface KeyPlan {
  readonly id: string;
  /** Items per UTC day, or null without a cap. */
  readonly itemsPerDay: number | null;
  /** Whether the operator may raise or remove the daily cap of a key. */
  readonly raisable: boolean;
}

export type KeyPlans = ReadonlyMap<string, KeyPlan>;

/** A fixed number, no cap, or the value of the plan. */
export type DailyItems = number | "none" | "plan";

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** Metered like any other key, but never invoiced. */
  readonly test: boolean;
  readonly dailyItems: DailyItems;
  /** Times are milliseconds since 1970; null means not (yet). */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly rotatedAt: number | null;
}

export type KeyState = "valid" | "revoked" | "expired";

/**
 * State of a key for a secret valid until `secretUntil` (null: no expiry). "Revoked" takes precedence over "expired",
 * because revocation is deliberate.
 */
export function keyStateAt(key: ApiKey, secretUntil: number | null, now: number): KeyState {
  if (key.revokedAt !== null && key.revokedAt <= now) return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
  if (secretUntil !== null && secretUntil <= now) return "expired";
  return "valid";
}

export type KeyErrorCode = "unknown_key" | "unknown_plan" | "bad_name" | "bad_daily_items" | "bad_time" | "key_revoked";

/** The operator's input is invalid; the message says how to fix it. */
export class KeyError extends Error {
  readonly code: KeyErrorCode;

  constructor(code: KeyErrorCode, message: string) {
    super(message);
    this.name = "KeyError";
    this.code = code;
  }
}

export function checkKey(key: ApiKey, plans: KeyPlans): void {
  if (key.name.trim() === "" || key.name.length > 100 || /[\u0000-\u001f\u007f]/.test(key.name)) {
    throw new KeyError(
      "bad_name",
      "a key needs a name of 1 to 100 printable characters, so that you can identify its owner later",
    );
  }
  const plan = plans.get(key.plan);
  if (plan === undefined) {
    throw new KeyError("unknown_plan", `there is no plan "${key.plan}"; the plans are ${[...plans.keys()].join(", ")}`);
  }
  checkDailyItems(key, plan);
}

function checkDailyItems(key: ApiKey, plan: KeyPlan): void {
  const { dailyItems } = key;
  if (dailyItems === "plan") return;
  if (dailyItems !== "none" && (!Number.isSafeInteger(dailyItems) || dailyItems < 0)) {
    throw new KeyError(
      "bad_daily_items",
      `daily items must be a whole number from 0, "none" or "plan", not ${dailyItems}`,
    );
  }

  const requestedItems = dailyItems === "none" ? Infinity : dailyItems;
  const planItems = plan.itemsPerDay ?? Infinity;
  if (requestedItems < planItems && !key.test) {
    throw new KeyError(
      "bad_daily_items",
      `only a test key may have less than the ${planItems} items a day of the plan ${plan.id}`,
    );
  }
  if (requestedItems > planItems && !plan.raisable) {
    throw new KeyError(
      "bad_daily_items",
      `the plan ${plan.id} allows at most ${planItems} items a day; give the key another plan`,
    );
  }
}
