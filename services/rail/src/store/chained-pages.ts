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
  /** A JSON array of arrays, of the columns of `ChainedColumns`; null when there are none. */
  readonly text: string | null;
  /** Where the next one begins; null when this was the last. */
  readonly next: number | null;
}

/** Entries from a place on, about so many; from the first one when it is null. */
export type ReadChained = (from: number | null, limit: number) => Promise<ChainedText>;

const PAGE = 2_000;

export async function* chainedPages(read: ReadChained, size = PAGE): AsyncGenerator<readonly ChainedEntry[]> {
  let reading: Promise<ChainedText> | null = read(null, size);
  try {
    while (reading !== null) {
      const { text, next }: ChainedText = await reading;
      reading = next === null ? null : read(next, size);
      if (text !== null) yield entriesOf(text);
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

type ChainedColumns = readonly [
  walletId: string,
  seq: number,
  id: string,
  kind: EntryKind,
  amountMicro: number,
  balanceAfterMicro: number,
  chargeId: string | null,
  topupId: string | null,
  reverses: string | null,
  op: string | null,
  createdAt: number,
  prev: string,
  agrees: boolean | 0 | 1,
];

function entriesOf(text: string): ChainedEntry[] {
  const rows: readonly ChainedColumns[] = JSON.parse(text);
  return rows.map((row) => ({
    entry: {
      walletId: row[0],
      seq: row[1],
      id: row[2],
      kind: row[3],
      amountMicro: row[4],
      balanceAfterMicro: row[5],
      chargeId: row[6],
      topupId: row[7],
      reverses: row[8],
      op: row[9],
      createdAt: row[10],
      prev: row[11],
    },
    agrees: Boolean(row[12]),
  }));
}
