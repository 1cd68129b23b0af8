/** The movements of a month, oldest first, between two balances: what an accountant files. Signed as a whole. */
import { STATEMENT_MOVEMENTS_MAX } from "@triptych/contracts";
import { shownEntry, type ShownEntry, type Entry } from "./entry.ts";
import type { Ledger } from "./ledger.ts";

/** Written as a type: it is signed as a record of members. */
export type StatementDocument = {
  readonly wallet_id: string;
  readonly month: string;
  readonly opening_micro: number;
  readonly closing_micro: number;
  readonly movements: readonly ShownEntry[];
};

const PAGE = 1000;
const NO_KINDS = [] as const;

/** @param month `YYYY-MM`, UTC. null: it holds more movements than are signed, or held in memory, at once. */
export async function statementOf(
  ledger: Pick<Ledger, "entries">,
  { walletId, month }: { readonly walletId: string; readonly month: string },
): Promise<StatementDocument | null> {
  const [year = 0, number = 0] = month.split("-").map(Number);
  const [since, until] = [Date.UTC(year, number - 1), Date.UTC(year, number)];
  const entries: Entry[] = [];
  for (let before: number | null = null; ;) {
    const page: readonly Entry[] = await ledger.entries(walletId, {
      kinds: NO_KINDS,
      since,
      until,
      before,
      limit: PAGE,
    });
    entries.push(...page);
    if (entries.length > STATEMENT_MOVEMENTS_MAX) return null;
    before = page.at(-1)?.seq ?? null;
    if (page.length < PAGE || before === null) break;
  }
  entries.reverse();
  const first = entries.at(0);
  const opening = first === undefined ? await balanceBefore(ledger, walletId, since) : before(first);
  return {
    wallet_id: walletId,
    month,
    opening_micro: opening,
    closing_micro: entries.at(-1)?.balanceAfterMicro ?? opening,
    movements: entries.map(shownEntry),
  };
}

function before({ balanceAfterMicro, amountMicro }: Entry): number {
  return balanceAfterMicro - amountMicro;
}

async function balanceBefore(ledger: Pick<Ledger, "entries">, walletId: string, until: number): Promise<number> {
  const [last] = await ledger.entries(walletId, { kinds: NO_KINDS, since: null, until, before: null, limit: 1 });
  return last?.balanceAfterMicro ?? 0;
}
