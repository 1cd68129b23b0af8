/**
 * Entries for whoever follows their chains, as fast as they can be had: a page is one text, put together and compared with its charges
 * beside the data, and the next page is made while this one is looked at. Each engine reads them in the order that costs it least.
 */
import { setImmediate } from "node:timers/promises";
import { sql } from "@triptych/storage";
import type { EntryKind } from "@triptych/contracts";
import type { ChainedEntry } from "../domain/ledger-pages.ts";

/** One reading. */
export interface ChainedText {
  /** A JSON array of `CHAINED_COLUMNS`, as arrays; null when there are none. */
  readonly text: string | null;
  readonly rows: number;
  /** Where the next one begins. */
  readonly last: unknown;
}

/** Entries behind a place, at most so many; from the first one when it is null. */
export type ReadChained = (after: unknown, limit: number) => Promise<ChainedText>;

const PAGE = 2_000;

export async function* chainedPages(read: ReadChained, size = PAGE): AsyncGenerator<readonly ChainedEntry[]> {
  let next: Promise<ChainedText> | null = read(null, size);
  try {
    while (next !== null) {
      const { text, rows, last }: ChainedText = await next;
      next = rows === size ? read(last, size) : null;
      if (text !== null) yield entriesOf(text);
      // Embedded, reads are done on the spot: others get their turn between two pages.
      await setImmediate();
    }
  } finally {
    await next?.catch(() => undefined);
  }
}

/** Of an entry `e` and its charge `c`, if there is one. */
export const CHAINED_COLUMNS = sql`
  e.wallet_id, e.seq, e.id, e.kind, e.amount_micro, e.balance_after_micro, e.charge_id, e.topup_id, e.reverses, e.op, e.created_at, e.prev,
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
