/**
 * Reads entries for chain verification. The database builds each page as one text and compares its entries with their
 * charges while the previous page is processed.
 */
import { setImmediate } from "node:timers/promises";
import { sql } from "@triptych/storage";
import type { EntryKind } from "@triptych/contracts";
import type { ChainedEntry } from "../domain/ledger-pages.ts";

export interface ChainedText {
  /** Rows of `CHAINED` and `AGREES`, as parsed by `rowsOf`; null if empty. */
  readonly text: string | null;
  /** Start of the next page; null on the last. */
  readonly next: number | null;
}

export interface ChainLink {
  /** Reads about `limit` entries from this position; null starts at the first. */
  readonly read: (from: number | null, limit: number) => Promise<ChainedText>;
  readonly rowsOf: (text: string) => readonly ChainedRow[];
}

const PAGE = 2_000;

export async function* chainedPages({ read, rowsOf }: ChainLink, size = PAGE): AsyncGenerator<readonly ChainedEntry[]> {
  let reading: Promise<ChainedText> | null = read(null, size);
  try {
    while (reading !== null) {
      const { text, next }: ChainedText = await reading;
      reading = next === null ? null : read(next, size);
      if (text !== null) yield rowsOf(text).map(toChained);
      // Embedded reads block this thread, so yield between pages.
      await setImmediate();
    }
  } finally {
    await reading?.catch(() => undefined);
  }
}

/** Whether entry `e` matches its charge `c`, if any. */
export const AGREES = sql`
  case when e.charge_id is null then e.kind not in ('charge', 'void') and e.token_id is null
       when e.token_id is distinct from c.token_id then false
       when e.kind = 'charge' then coalesce(
         c.entry_id = e.id and c.wallet_id = e.wallet_id and c.wallet_seq = e.seq and c.prev = e.prev and
         c.amount_micro = -e.amount_micro and c.balance_after_micro = e.balance_after_micro, false)
       else coalesce(
         c.state = case e.kind when 'void' then 'voided' else 'refunded' end and c.amount_micro = e.amount_micro and
         c.entry_id = e.reverses and c.wallet_id = e.wallet_id, false) end`;

export const CHAINED = sql.raw(
  ["wallet_id", "seq", "id", "kind", "amount_micro", "balance_after_micro", "charge_id", "topup_id", "reverses", "op"]
    .concat("created_at", "prev", "token_id")
    .map((column) => `e.${column}`)
    .join(),
);

/** Numbers may be strings. */
export type ChainedRow = readonly [
  walletId: string,
  seq: number | string,
  id: string,
  kind: EntryKind,
  amountMicro: number | string,
  balanceAfterMicro: number | string,
  chargeId: string | null,
  topupId: string | null,
  reverses: string | null,
  op: string | null,
  createdAt: number | string,
  prev: string,
  tokenId: string | null,
  agrees: number | string,
];

function toChained(row: ChainedRow): ChainedEntry {
  return {
    entry: {
      walletId: row[0],
      seq: Number(row[1]),
      id: row[2],
      kind: row[3],
      amountMicro: Number(row[4]),
      balanceAfterMicro: Number(row[5]),
      chargeId: row[6],
      topupId: row[7],
      reverses: row[8],
      op: row[9],
      createdAt: Number(row[10]),
      prev: row[11],
      tokenId: row[12],
    },
    agrees: Number(row[13]) === 1,
  };
}
