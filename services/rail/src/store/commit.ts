/**
 * One commit: loads and locks the rows, runs the work on the unit of work, and writes the changes. SQLite has a single
 * writer. On PostgreSQL, rows are locked in one global order (boots, top-ups, wallets, each by ID) to prevent
 * deadlocks. If concurrent inserts conflict on a unique key, the loser runs again and finds the row.
 */
import { isContention, isUniqueViolation, type Database } from "@triptych/storage";
import { beginUnitOfWork, type UnitOfWork, type LoadedRows } from "../domain/unit-of-work.ts";
import type { RailTables } from "./tables.ts";
import { writeChanges, type Tx } from "./write-changes.ts";

export interface Work<T> {
  readonly now: number;
  readonly load: (tx: Tx) => Promise<Partial<LoadedRows>>;
  readonly work: (unit: UnitOfWork) => T;
  /** Additional rows in the same transaction. */
  readonly also?: (tx: Tx, result: T) => Promise<unknown>;
}

export function commit<T>(database: Database<RailTables>, work: Work<T>): Promise<T> {
  return inTransaction(database, (tx) => workIn(tx, work));
}

export async function workIn<T>(tx: Tx, { now, load, work, also }: Work<T>): Promise<T> {
  const unit = beginUnitOfWork({
    wallets: [],
    tokens: new Map(),
    subTokens: [],
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

/**
 * The winner has committed, so a second round finds its rows. More rounds are needed only if many commits race for one
 * row.
 */
const ROUNDS = 8;

/** Reruns the whole transaction after a lost race. */
export async function repeatedly<T>(transaction: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await transaction();
    } catch (error) {
      if (round === ROUNDS || !(isContention(error) || isUniqueViolation(error))) throw error;
    }
  }
}
