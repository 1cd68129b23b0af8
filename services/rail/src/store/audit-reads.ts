/** What an audit reads most of, as each engine reads it fastest. */
import type { Moved } from "../domain/ledger-pages.ts";
import type { ChainLink } from "./hash-chain-pages.ts";

export interface AuditReads {
  readonly chained: ChainLink;
  /** Every transfer once, added up by its two accounts within each portion. */
  moved(): AsyncIterable<readonly Moved[]>;
}

/** Transfers added up by their two accounts, as rows. */
export interface MovedRow {
  readonly debit: string;
  readonly credit: string;
  readonly micro: number;
  readonly count: number;
  readonly least: number;
}

export function toMoved({ debit, credit, micro, count, least }: MovedRow): Moved {
  return { debit, credit, amountMicro: micro, transfers: count, leastMicro: least };
}
