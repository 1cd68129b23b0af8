/**
 * What is remembered about a key, and the two things its record decides: whether a secret is valid now, and how many items a day it
 * may receive. One key has one record and one or more secrets: rotating adds a secret and lets the older ones end, so the minute
 * window, the day's count and the bills go on under the same id.
 */
import { planOf, type Plan, type Plans } from "./plan.ts";

/** A number of its own, no cap at all, or whatever its plan says. */
export type DailyItems = number | "none" | "plan";

export interface ApiKey {
  /** `key_…`, sorts by time. */
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  /** Meters like any other and is never invoiced. */
  readonly test: boolean;
  readonly dailyItems: DailyItems;
  /** Times are milliseconds since 1970; null = not (yet). */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly rotatedAt: number | null;
}

/** What metering has to know of a key. */
export type ApiKeyView = Pick<ApiKey, "id" | "plan" | "test" | "dailyItems">;

export type KeyState = "valid" | "revoked" | "expired";

/**
 * The state of a key reached through a secret that is valid until `secretUntil` (null = without end). Revoked wins over expired:
 * it says that somebody decided so.
 */
export function keyStateAt(key: ApiKey, secretUntil: number | null, now: number): KeyState {
  if (key.revokedAt !== null && key.revokedAt <= now) return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
  if (secretUntil !== null && secretUntil <= now) return "expired";
  return "valid";
}

/** Items a UTC day for this key, or null for no cap. */
export function dailyItemsOf(key: ApiKeyView, plan: Plan): number | null {
  if (key.dailyItems === "plan") return plan.itemsPerDay;
  return key.dailyItems === "none" ? null : key.dailyItems;
}

export type KeyFaultCode = "unknown_key" | "unknown_plan" | "bad_name" | "bad_daily_items" | "bad_time" | "key_revoked";

/** The operator asked for something a key cannot be; the message says what to do instead. */
export class KeyFault extends Error {
  readonly code: KeyFaultCode;

  constructor(code: KeyFaultCode, message: string) {
    super(message);
    this.name = "KeyFault";
    this.code = code;
  }
}

/** Throws a KeyFault when a record breaks a rule: its plan, its name, or a figure that its plan does not allow. */
export function checkKey(key: ApiKey, plans: Plans): void {
  if (key.name.trim() === "" || key.name.length > 100 || /[\u0000-\u001f\u007f]/.test(key.name)) {
    throw new KeyFault(
      "bad_name",
      "a key needs a name of 1 to 100 printable characters, so that you know later whose it is",
    );
  }
  if (!plans.has(key.plan)) {
    throw new KeyFault("unknown_plan", `there is no plan "${key.plan}"; the plans are ${[...plans.keys()].join(", ")}`);
  }
  checkDailyItems(key, planOf(plans, key.plan));
}

function checkDailyItems(key: ApiKey, plan: Plan): void {
  const { dailyItems } = key;
  if (dailyItems === "plan") return;
  if (dailyItems !== "none" && (!Number.isSafeInteger(dailyItems) || dailyItems < 0)) {
    throw new KeyFault(
      "bad_daily_items",
      `daily items must be a whole number from 0, "none" or "plan", not ${dailyItems}`,
    );
  }

  const requestedItems = dailyItems === "none" ? Infinity : dailyItems;
  const planItems = plan.itemsPerDay ?? Infinity;
  if (requestedItems < planItems && !key.test) {
    throw new KeyFault(
      "bad_daily_items",
      `only a test key may get less than the ${planItems} items a day of the plan ${plan.id}`,
    );
  }
  if (requestedItems > planItems && !plan.raisable) {
    throw new KeyFault(
      "bad_daily_items",
      `the plan ${plan.id} never gets more than ${planItems} items a day; give the key another plan`,
    );
  }
}
