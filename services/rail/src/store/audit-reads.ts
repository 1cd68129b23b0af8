import type { Moved } from "../domain/ledger-pages.ts";
import type { ChainLink } from "./hash-chain-pages.ts";

export interface AuditReads {
  readonly chained: ChainLink;
  /** Every transfer once, summed per pair of accounts within each chunk. */
  moved(): AsyncIterable<readonly Moved[]>;
}

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
