/** The operator's synonyms in the store. Every process follows them, so an import is effective within seconds. */
import type { Database, Kysely } from "@triptych/storage";
import { readSynonyms } from "../domain/search/read-synonyms.ts";
import { starterSynonyms } from "./starter-synonyms.ts";
import { createSynonyms, type Synonyms } from "../domain/search/synonyms.ts";
import type { StoreTables } from "./tables.ts";

const POLL_MS = 2000;

/** Null if the built-in list applies. */
export async function findStoredSynonyms(db: Kysely<StoreTables>): Promise<{ csv: string; importedAt: number } | null> {
  const row = await db.selectFrom("synonyms").select(["csv", "imported_at"]).where("id", "=", 1).executeTakeFirst();
  return row === undefined ? null : { csv: row.csv, importedAt: row.imported_at };
}

export async function storeSynonyms(db: Kysely<StoreTables>, csv: string, at: number): Promise<void> {
  await db
    .insertInto("synonyms")
    .values({ id: 1, csv, imported_at: at })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ csv, imported_at: at }))
    .execute();
}

export async function deleteSynonyms(db: Kysely<StoreTables>): Promise<void> {
  await db.deleteFrom("synonyms").where("id", "=", 1).execute();
}

export interface WatchedSynonyms {
  current(): Synonyms;
  refresh(): Promise<void>;
  close(): void;
}

/** While the store is unavailable, the last list stays. */
export async function watchSynonyms({ db }: Pick<Database<StoreTables>, "db">): Promise<WatchedSynonyms> {
  let current = starterSynonyms();
  let importedAt: number | null = null;
  const refresh = async () => {
    const row = await db.selectFrom("synonyms").select("imported_at").where("id", "=", 1).executeTakeFirst();
    const latest = row?.imported_at ?? null;
    if (latest === importedAt) return;
    const stored = await findStoredSynonyms(db);
    current = stored === null ? starterSynonyms() : createSynonyms(readSynonyms(stored.csv).groups);
    importedAt = stored?.importedAt ?? null;
  };
  await refresh();
  const timer = setInterval(() => void refresh().catch(() => {}), POLL_MS);
  timer.unref();
  return { current: () => current, refresh, close: () => clearInterval(timer) };
}
