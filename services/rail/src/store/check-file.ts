/** SQLite's quick check: pages, order and constraints, but not whether indexes match their tables. */
import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

/** A file up to this size is read in about 0.1 s before listening; a larger one is checked afterwards. */
export const CHECKED_AT_START_BYTES = 32 * 1024 * 1024;

const ISSUES_MAX = 20;

export function quickCheck(file: string): readonly string[] {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const rows = database.prepare(`pragma quick_check(${ISSUES_MAX})`).all();
      return rows.map((row) => String(row["quick_check"])).filter((line) => line !== "ok");
    } finally {
      database.close();
    }
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

export async function isCheckedAtStart(file: string): Promise<boolean> {
  return (await stat(file)).size <= CHECKED_AT_START_BYTES;
}
