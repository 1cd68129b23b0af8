/**
 * Judges caps: the spend in a window must never exceed the cap. Spend is counted here by the UTC date of each charge,
 * without any function of the domain rules, so that a window that changes at another time than midnight is detected.
 */
import type { Changes, LedgerCharge, LedgerWallet, SubToken } from "../src/domain/unit-of-work.ts";
import type { Rows } from "./rows.ts";
import { demand } from "./violation.ts";

const DAY_LETTERS = 10;
const MONTH_LETTERS = 7;

export function createCapsJudge(rows: Rows): (changes: Changes) => void {
  const counted = new Set<string>();
  const sums = new Map<string, number>();
  const sumOf = (owner: string, window: string) => sums.get(`${owner} ${window}`) ?? 0;

  return (changes) => {
    for (const { charge } of changes.charges) count(charge);
    for (const wallet of changes.wallets) judge(wallet);
    for (const token of changes.subTokens) judge(token);
    for (const { charge } of changes.charges) judgeOwners(charge);
  };

  /** A charge counts until it is reversed. */
  function count({ id, walletId, tokenId, state, createdAt, amountMicro }: LedgerCharge): void {
    const counts = state === "posted" || state === "delivered";
    if (counts === counted.has(id)) return;
    if (counts) counted.add(id);
    else counted.delete(id);
    const date = new Date(createdAt).toISOString();
    for (const owner of [walletId, ...(tokenId === null ? [] : [tokenId])])
      for (const window of [date.slice(0, DAY_LETTERS), date.slice(0, MONTH_LETTERS), "total"])
        sums.set(`${owner} ${window}`, sumOf(owner, window) + (counts ? amountMicro : -amountMicro));
  }

  function judgeOwners({ id, walletId, tokenId, createdAt }: LedgerCharge): void {
    const token = tokenId === null ? undefined : rows.subTokens.get(tokenId);
    demand(tokenId === null || token?.walletId === walletId, "caps", () => `charge ${id} was paid by a foreign token`);
    const date = new Date(createdAt).toISOString();
    for (const owner of [rows.wallets.get(walletId), token]) {
      if (owner === undefined) continue;
      const { per_day, per_month, total } = owner.caps;
      const limits = [
        [date.slice(0, DAY_LETTERS), per_day],
        [date.slice(0, MONTH_LETTERS), per_month],
        ["total", total],
      ] as const;
      for (const [window, limit] of limits) {
        const spent = sumOf(owner.id, window);
        demand(limit === null || spent <= limit, "caps", () => `${owner.id} spent ${spent} of ${limit} in ${window}`);
      }
    }
  }

  /** Checks that the stored spend of both windows is the sum of their charges. */
  function judge({ id, spend: { day, month, totalMicro } }: LedgerWallet | SubToken): void {
    const dayName = (number: number) => new Date(number * 86_400_000).toISOString().slice(0, DAY_LETTERS);
    const monthName = (number: number) => new Date(Date.UTC(1970, number)).toISOString().slice(0, MONTH_LETTERS);
    const stored = [
      [dayName(day.number), day.micro],
      [dayName(day.number - 1), day.beforeMicro],
      [monthName(month.number), month.micro],
      [monthName(month.number - 1), month.beforeMicro],
      ["total", totalMicro],
    ] as const;
    for (const [window, micro] of stored) {
      const spent = sumOf(id, window);
      demand(micro === spent, "caps", () => `${id} counts ${micro} in ${window}, its charges are ${spent}`);
    }
  }
}
