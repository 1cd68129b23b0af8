/**
 * One commit of the ledger: load what a piece of work will look at, locked; run the work on the book; write what it changed. On
 * SQLite the transaction is the only writer. On PostgreSQL rows are locked in one order everywhere (boots, then top-ups, then
 * wallets, each by id), so that two commits never wait crosswise; what two of them insert at once is decided by a unique key, and
 * the later one looks again and finds it.
 */
import { isContention, isUniqueViolation, type Database } from "@triptych/storage";
import { beginUnitOfWork, type UnitOfWork, type LoadedRows } from "../domain/unit-of-work.ts";
import type { RailTables } from "./tables.ts";
import { writeChanges, type Tx } from "./write-changes.ts";

export interface Work<T> {
  readonly now: number;
  readonly load: (tx: Tx) => Promise<Partial<LoadedRows>>;
  readonly work: (unit: UnitOfWork) => T;
  /** Rows beside the ledger's own, in the same transaction. */
  readonly also?: (tx: Tx, result: T) => Promise<unknown>;
}

export function commit<T>(database: Database<RailTables>, work: Work<T>): Promise<T> {
  return inTransaction(database, (tx) => workIn(tx, work));
}

export async function workIn<T>(tx: Tx, { now, load, work, also }: Work<T>): Promise<T> {
  const unit = beginUnitOfWork({
    wallets: [],
    tokens: new Map(),
    charges: [],
    boots: [],
    tombstones: [],
    ...(await load(tx)),
  });
  const result = work(unit);
  await writeChanges(tx, unit.changes(), now);
  await also?.(tx, result);
  return result;
}

export function inTransaction<T>(database: Database<RailTables>, work: (tx: Tx) => Promise<T>): Promise<T> {
  return repeatedly(() => database.transaction(work));
}

/** Each time the other one has committed, so a second round finds its rows; more rounds only where many race for one row. */
const ROUNDS = 8;

/** Runs a whole transaction again when it lost a race. */
export async function repeatedly<T>(transaction: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await transaction();
    } catch (error) {
      if (round === ROUNDS || !(isContention(error) || isUniqueViolation(error))) throw error;
    }
  }
}
