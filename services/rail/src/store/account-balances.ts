/** Sums transfers per account that has its own row; wallet totals are in the wallet rows. */
import type { Transfer } from "../domain/unit-of-work.ts";

/** Returned in a fixed order, so that two commits cannot deadlock. */
export function accountSums(transfers: readonly Transfer[]): readonly (readonly [id: string, micro: number])[] {
  const sums = new Map<string, number>();
  const add = (account: string, micro: number): void => {
    if (!account.startsWith("wallet:")) sums.set(account, (sums.get(account) ?? 0) + micro);
  };
  for (const { debit, credit, amountMicro } of transfers) {
    add(debit, -amountMicro);
    add(credit, amountMicro);
  }
  return [...sums].sort(([first], [other]) => (first < other ? -1 : 1));
}
