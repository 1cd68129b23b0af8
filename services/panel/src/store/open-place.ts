/**
 * Opens the panel's store as the configuration says: SQLite in the data folder, or PostgreSQL. On SQLite one panel runs at a time, because
 * workers, hints and caches of another would be unknown to it; commands may write beside it.
 */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { holdExclusive, openDatabase, type Lock } from "@triptych/storage";
import type { PanelStore } from "../domain/panel-store.ts";
import { PANEL_MIGRATIONS, PANEL_SCHEMA } from "./migrations.ts";
import { storeOn } from "./open-store.ts";
import type { PanelTables } from "./tables.ts";

export interface StorePlace {
  readonly dataFolder: string;
  /** Address of a PostgreSQL server; SQLite in the data folder when undefined. */
  readonly databaseUrl: string | undefined;
}

export async function openPlace(place: StorePlace): Promise<PanelStore> {
  if (place.databaseUrl === undefined) await mkdir(place.dataFolder, { recursive: true, mode: 0o700 });
  return storeOn(await openDatabase<PanelTables>({ ...addressOf(place), migrations: PANEL_MIGRATIONS }));
}

/** Null where any number of panels may run: on PostgreSQL. Rejects with a sentence where one runs on these files already. */
export async function holdPlace({ dataFolder, databaseUrl }: StorePlace): Promise<Lock | null> {
  return databaseUrl === undefined ? holdExclusive(join(resolve(dataFolder), "panel.lock")) : null;
}

export function addressOf({ dataFolder, databaseUrl }: StorePlace) {
  return { url: databaseUrl ?? `sqlite:${storeFile(dataFolder)}`, schema: PANEL_SCHEMA };
}

export function storeFile(dataFolder: string): string {
  return resolve(dataFolder, "panel.db");
}
