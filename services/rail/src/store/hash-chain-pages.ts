/**
 * Entries for whoever follows their chains, as fast as they can be had: a page is one text, put together and compared with its charges
 * beside the data, and the next page is made while this one is looked at. Each engine reads them in the order in which they lie.
 */
import { setImmediate } from "node:timers/promises";
import { sql } from "@triptych/storage";
import type { EntryKind } from "@triptych/contracts";
import type { ChainedEntry } from "../domain/ledger-pages.ts";

/** One reading. */
export interface ChainedText {
  /** Rows of `CHAINED` and of `AGREES`, as `rowsOf` reads them; null when there are none. */
  readonly text: string | null;
  /** Where the next one begins; null when this was the last. */
  readonly next: number | null;
}

export interface ChainLink {
  /** Entries from a place on, about so many; from the first one when it is null. */
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
      // Embedded, reads are done on the spot: others get their turn between two pages.
      await setImmediate();
    }
  } finally {
    await reading?.catch(() => undefined);
  }
}

/** Whether an entry `e` and its charge `c`, if there is one, say the same. */
export const AGREES = sql`
  case when e.charge_id is null then e.kind not in ('charge', 'void')
       when e.kind = 'charge' then coalesce(
         c.entry_id = e.id and c.wallet_id = e.wallet_id and c.wallet_seq = e.seq and c.prev = e.prev and
         c.amount_micro = -e.amount_micro and c.balance_after_micro = e.balance_after_micro, false)
       else coalesce(
         c.state = case e.kind when 'void' then 'voided' else 'refunded' end and c.amount_micro = e.amount_micro and
         c.entry_id = e.reverses and c.wallet_id = e.wallet_id, false) end`;

/** Columns of an entry `e`, in the order of a row. */
export const CHAINED = sql.raw(
  ["wallet_id", "seq", "id", "kind", "amount_micro", "balance_after_micro", "charge_id", "topup_id", "reverses", "op"]
    .concat("created_at", "prev")
    .map((column) => `e.${column}`)
    .join(),
);

/** Numbers may be written as texts. */
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
    },
    agrees: Number(row[12]) === 1,
  };
}
