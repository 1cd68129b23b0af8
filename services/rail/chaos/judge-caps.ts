/**
 * Judges caps by the spend of wallets and sub-tokens, which is summed here from the entries of the ledger instead of
 * trusting the counters under test.
 */
import { monthOf } from "../src/domain/caps.ts";
import type { SpendRow } from "../src/store/tables.ts";
import type { Violation } from "./records.ts";

/** A wallet or a sub-token with its caps and its stored counters. */
export interface StoredBudget extends SpendRow {
  readonly id: string;
  readonly per_day_micro: number | null;
  readonly per_month_micro: number | null;
  /** The total cap of a sub-token. */
  readonly total_micro: number | null;
}

/** The sum of the charges of one UTC day (counted from 1970) that were not reversed, in micro-euros. */
export interface DaySum {
  readonly walletId: string;
  /** Null for the main token. */
  readonly tokenId: string | null;
  readonly day: number;
  readonly micro: number;
}

const DAY_MS = 86_400_000;

/** The caps must be set before the first charge. */
export function judgeCaps(budgets: readonly StoredBudget[], sums: readonly DaySum[]): Violation[] {
  const violations: Violation[] = [];
  const found = (message: string) => void violations.push({ law: "caps", message });
  for (const budget of budgets) {
    const { id } = budget;
    const days = new Map<number, number>();
    const months = new Map<number, number>();
    let total = 0;
    for (const { walletId, tokenId, day, micro } of sums) {
      if (walletId !== id && tokenId !== id) continue;
      const month = monthOf(day * DAY_MS);
      days.set(day, (days.get(day) ?? 0) + micro);
      months.set(month, (months.get(month) ?? 0) + micro);
      total += micro;
    }
    const exceeds = (cap: number | null, spent: number, what: string) => {
      if (cap !== null && spent > cap) found(`${id} spent ${spent} ${what}, its cap is ${cap}`);
    };
    for (const [day, spent] of days) exceeds(budget.per_day_micro, spent, `on day ${day}`);
    for (const [month, spent] of months) exceeds(budget.per_month_micro, spent, `in month ${month}`);
    exceeds(budget.total_micro, total, "in all");
    const counters = [
      ["day_micro", days.get(budget.day) ?? 0],
      ["day_before_micro", days.get(budget.day - 1) ?? 0],
      ["month_micro", months.get(budget.month) ?? 0],
      ["month_before_micro", months.get(budget.month - 1) ?? 0],
      ["spent_micro", total],
    ] as const;
    for (const [name, due] of counters)
      if (budget[name] !== due) found(`${name} of ${id} is ${budget[name]}, its charges sum to ${due}`);
  }
  return violations;
}
