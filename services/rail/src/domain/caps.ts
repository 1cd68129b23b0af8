/**
 * Hard limits on the spending of a wallet and its tokens: per charge, UTC day, UTC month and in total. Spending is
 * counted in the commit that moves the money. Two windows are stored, because the clocks of rail processes differ
 * around midnight.
 */
import type { CapName } from "@triptych/contracts";

/** Micro-euros; null means no limit. Only tokens have a total. */
export type Caps = Readonly<Record<CapName, number | null>>;

export const NO_CAPS: Caps = { per_charge: null, per_day: null, per_month: null, total: null };

/** Spending in the newest window and in the previous one; `number` counts days or months. */
export interface WindowSpend {
  readonly number: number;
  readonly micro: number;
  readonly beforeMicro: number;
}

export interface Spend {
  readonly day: WindowSpend;
  readonly month: WindowSpend;
  readonly totalMicro: number;
}

const NOTHING: WindowSpend = { number: 0, micro: 0, beforeMicro: 0 };
export const NO_SPEND: Spend = { day: NOTHING, month: NOTHING, totalMicro: 0 };

export type BudgetOwner = "token" | "wallet";

export interface Budget {
  readonly owner: BudgetOwner;
  readonly caps: Caps;
  readonly spend: Spend;
}

/** The budgets to which a charge of this wallet and token counts. */
export function budgetsOf(
  { caps, spend }: Omit<Budget, "owner">,
  token: Omit<Budget, "owner"> | null | undefined,
): readonly Budget[] {
  const wallet = { owner: "wallet", caps, spend } as const;
  return token == null ? [wallet] : [{ owner: "token", caps: token.caps, spend: token.spend }, wallet];
}

export interface ReachedCap {
  readonly cap: CapName;
  readonly owner: BudgetOwner;
  readonly limitMicro: number;
  readonly spentMicro: number;
  /** Time from which the charge is possible again, in milliseconds; null if waiting does not help. */
  readonly resetsAt: number | null;
}

/** A possible next charge. */
interface NextCharge {
  readonly amountMicro: number;
  readonly now: number;
}

const DAY_MS = 86_400_000;

/** UTC days since 1970. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** UTC months since 1970. */
export function monthOf(at: number): number {
  const time = new Date(at);
  return (time.getUTCFullYear() - 1970) * 12 + time.getUTCMonth();
}

/** Start of the next window; null for a cap that does not reset. */
export function resetsAt(cap: CapName, now: number): number | null {
  if (cap === "per_day") return (dayOf(now) + 1) * DAY_MS;
  return cap === "per_month" ? Date.UTC(1970, monthOf(now) + 1) : null;
}

/**
 * The cap that lasts longest comes first, so that a caller that waits for `resetsAt` is not rejected again by another
 * cap.
 */
const LONGEST_FIRST = ["per_charge", "total", "per_month", "per_day"] as const satisfies readonly CapName[];

/** The cap that a charge would exceed. `budgets` are those of the charge, the token's before the wallet's. */
export function reachedCap(budgets: readonly Budget[], { amountMicro, now }: NextCharge): ReachedCap | null {
  for (const cap of LONGEST_FIRST)
    for (const { owner, caps, spend } of budgets) {
      const limitMicro = caps[cap];
      if (limitMicro === null) continue;
      const spentMicro = spentUnder(cap, spend, now);
      if (spentMicro !== null && spentMicro + amountMicro <= limitMicro) continue;
      return { cap, owner, limitMicro, spentMicro: spentMicro ?? limitMicro, resetsAt: resetsAt(cap, now) };
    }
  return null;
}

/** What charges of this price may spend now: the minimum of the balance and the remainder of every cap. */
export function spendableMicro(
  balanceMicro: number,
  budgets: readonly Budget[],
  { amountMicro: priceMicro, now }: NextCharge,
): number {
  let least = balanceMicro;
  for (const { caps, spend } of budgets)
    for (const cap of LONGEST_FIRST) {
      const limitMicro = caps[cap];
      if (limitMicro === null) continue;
      const spentMicro = spentUnder(cap, spend, now);
      if (cap !== "per_charge") least = Math.min(least, spentMicro === null ? 0 : limitMicro - spentMicro);
      else if (limitMicro < priceMicro) least = 0;
    }
  return Math.max(0, least);
}

/** Adds a charge; a negative amount takes back a charge from the window of `at`. */
export function spendAfter(spend: Spend, amountMicro: number, at: number): Spend {
  return {
    day: counted(spend.day, dayOf(at), amountMicro),
    month: counted(spend.month, monthOf(at), amountMicro),
    totalMicro: Math.max(0, spend.totalMicro + amountMicro),
  };
}

/** Null for a window that is no longer stored. */
export function spentIn({ number, micro, beforeMicro }: WindowSpend, window: number): number | null {
  if (window > number) return 0;
  if (window === number) return micro;
  return window === number - 1 ? beforeMicro : null;
}

function counted(spend: WindowSpend, window: number, amountMicro: number): WindowSpend {
  const { number, micro, beforeMicro } = spend;
  // Never below zero, because the charge that is taken back may be older than the counters.
  if (window === number) return { number, micro: Math.max(0, micro + amountMicro), beforeMicro };
  if (window === number - 1) return { number, micro, beforeMicro: Math.max(0, beforeMicro + amountMicro) };
  // A window that is no longer stored accepts no capped charge, so its sum is not needed.
  if (window < number || amountMicro < 0) return spend;
  return { number: window, micro: amountMicro, beforeMicro: window === number + 1 ? micro : 0 };
}

function spentUnder(cap: CapName, { day, month, totalMicro }: Spend, now: number): number | null {
  if (cap === "per_charge") return 0;
  if (cap === "total") return totalMicro;
  return cap === "per_day" ? spentIn(day, dayOf(now)) : spentIn(month, monthOf(now));
}
