/** Compares charges per second with and without caps. */
import { median } from "@triptych/util";
import type { CorePlan } from "./core-figures.ts";
import { chargesPerSecond, openBenchLedger, openWallets } from "./bench-ledger.ts";
import { progress, rate, type Row } from "./report.ts";

const BAR = 0.9;
const KINDS = [
  { name: "64 callers", callers: 64, charges: 1 },
  { name: "64 of one gateway", callers: 1, charges: 64 },
] as const;

/**
 * Each round measures both in the same ledger, one after the other, in alternating order. The result is the median of
 * the ratios of all rounds, because other load changes between rounds.
 */
export async function measureCaps(
  { name, url }: CorePlan["stores"][number],
  { wallets, rounds, milliseconds }: Pick<CorePlan, "wallets" | "rounds" | "milliseconds">,
): Promise<Row[]> {
  await using ledger = await openBenchLedger(url);
  await openWallets(ledger, { count: wallets, micro: 1e12 });
  await openWallets(ledger, { count: wallets, micro: 1e12, first: wallets, capped: true });
  const found = KINDS.map((kind) => ({ ...kind, free: [] as number[], capped: [] as number[] }));
  for (let round = 1; round <= rounds; round++)
    for (const { name: kind, free, capped, ...load } of found) {
      const measure = async (samples: number[], first: number) =>
        void samples.push(await chargesPerSecond(ledger, wallets, { ...load, milliseconds, first }));
      if (round % 2 === 1) await measure(free, 0);
      await measure(capped, wallets);
      if (round % 2 === 0) await measure(free, 0);
      progress(`${name}, ${kind}, round ${round}: ${rate(free.at(-1) ?? 0)}, with caps ${rate(capped.at(-1) ?? 0)}`);
    }
  return found.map(({ name: kind, free, capped }) => {
    const ratio = median(capped.map((sample, index) => sample / (free[index] ?? Infinity)));
    const measured = `${ratio.toFixed(2)}; ${rate(median(capped))} against ${rate(median(free))}`;
    return { goal: `${name}: ${kind}, with caps`, bar: String(BAR), measured, met: ratio >= BAR };
  });
}
