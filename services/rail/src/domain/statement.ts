/** Signed statement of a month: its movements, oldest first, between an opening and a closing balance. */
import { STATEMENT_MOVEMENTS_MAX } from "@triptych/contracts";
import { toEntryResponse, type EntryResponse, type JournalEntry } from "./entry.ts";
import type { Ledger } from "./ledger.ts";

/** A type alias instead of an interface, because it is signed as a record. */
export type StatementDocument = {
  readonly wallet_id: string;
  readonly month: string;
  readonly token_id?: string;
  readonly opening_micro: number;
  readonly closing_micro: number;
  readonly movements: readonly EntryResponse[];
};

export interface StatementAsk {
  readonly walletId: string;
  readonly month: string;
  /** Movements of this sub-token only. */
  readonly tokenId?: string | null;
}

const PAGE = 1000;
const NO_KINDS = [] as const;

/**
 * A month consists of entry numbers: from its first entry up to the first entry of the next month. Entry times are not
 * monotonic, because clocks are set back and differ between processes. Selecting by time could put an entry into the
 * wrong month, and the balances would not add up. Null if there are more movements than fit into one statement.
 * @param month `YYYY-MM`, UTC
 */
export async function statementOf(
  ledger: Pick<Ledger, "entries" | "firstSince">,
  { walletId, month, tokenId = null }: StatementAsk,
): Promise<StatementDocument | null> {
  const [year = 0, number = 0] = month.split("-").map(Number);
  const [since, until] = [Date.UTC(year, number - 1), Date.UTC(year, number)];
  const end = await ledger.firstSince(walletId, until);
  const begin = (await ledger.firstSince(walletId, since)) ?? Infinity;
  const entries: JournalEntry[] = [];
  // The next month may begin during this read.
  const untilNow = end === null ? until : null;
  for (let before = end; ;) {
    const filter = { tokenId, kinds: NO_KINDS, since: null, until: untilNow, before, limit: PAGE };
    const page = await ledger.entries(walletId, filter);
    entries.push(...page.filter(({ seq }) => seq >= begin));
    if (entries.length > STATEMENT_MOVEMENTS_MAX) return null;
    before = page.at(-1)?.seq ?? null;
    if (page.length < PAGE || before === null || before <= begin) break;
  }
  entries.reverse();
  const movements = entries.map(toEntryResponse);
  const first = entries.at(0);
  const atRest = () => (tokenId === null ? balanceBelow(ledger, walletId, end) : 0);
  const opening = first === undefined ? await atRest() : before(first);
  return {
    wallet_id: walletId,
    month,
    ...(tokenId !== null && { token_id: tokenId }),
    opening_micro: opening,
    closing_micro: entries.at(-1)?.balanceAfterMicro ?? opening,
    movements,
  };
}

function before({ balanceAfterMicro, amountMicro }: JournalEntry): number {
  return balanceAfterMicro - amountMicro;
}

async function balanceBelow(ledger: Pick<Ledger, "entries">, walletId: string, before: number | null): Promise<number> {
  const [last] = await ledger.entries(walletId, { kinds: NO_KINDS, since: null, until: null, before, limit: 1 });
  return last?.balanceAfterMicro ?? 0;
}
