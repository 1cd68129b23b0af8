/**
 * Makes a consistent copy of an SQLite file while other processes write to it. Copying only the file would miss the
 * write-ahead log.
 */
import { stat, writeFile } from "node:fs/promises";
import { backup, DatabaseSync } from "node:sqlite";

/** Pages between progress reports: 8 MB. */
const PAGES_AT_ONCE = 2_048;

const ISSUES_MAX = 20;

export type PageProgress = (pages: { readonly copied: number; readonly total: number }) => void;

/** The new file is complete and has no side files. An unfinished copy may leave `to` and its journal. */
export async function backupSqlite(from: string, to: string, onProgress?: PageProgress): Promise<void> {
  await stat(from);
  // Created here first, because SQLite would let other users read it.
  await writeFile(to, "", { flag: "a", mode: 0o600 });
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    // Without a pinned snapshot, SQLite restarts the copy after each commit of another process, and never finishes
    // under load.
    source.exec("begin; select 1 from sqlite_schema limit 1");
    const progress = ({ totalPages: total, remainingPages }: { totalPages: number; remainingPages: number }) =>
      onProgress?.({ copied: total - remainingPages, total });
    await backup(source, to, { rate: PAGES_AT_ONCE, progress });
  } finally {
    source.close();
  }
  separateFromLog(to);
}

/**
 * Moves the write-ahead log into the file, so that the file can be moved and hashed alone. No other process may have it
 * open.
 */
export function separateFromLog(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("pragma journal_mode = delete");
  } finally {
    database.close();
  }
}

/** Returns the findings of SQLite's integrity check; empty for a sound file. */
export function integrityIssues(file: string): readonly string[] {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const rows = database.prepare(`pragma integrity_check(${ISSUES_MAX})`).all();
      return rows.map((row) => String(row["integrity_check"])).filter((line) => line !== "ok");
    } finally {
      database.close();
    }
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Returns the newest migration of each component in a store file. */
export function migrationsIn(file: string): Record<string, number> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare("select component, max(number) as newest from triptych_migration group by component");
    return Object.fromEntries(rows.all().map((row) => [String(row["component"]), Number(row["newest"])]));
  } finally {
    database.close();
  }
}
