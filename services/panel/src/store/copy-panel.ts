/** Moves the panel's store between a data folder and PostgreSQL, in either direction. The panels must be stopped. */
import { existsSync } from "node:fs";
import { copyStore, type CopiedTable, type CopyProgress } from "@triptych/storage";
import { PANEL_MIGRATIONS } from "./migrations.ts";
import { addressOf, storeFile } from "./open-place.ts";

export interface PanelCopy {
  /** A data folder, or the address of a PostgreSQL database. */
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: CopyProgress) => void;
}

export async function copyPanel({ from, to, onProgress }: PanelCopy): Promise<readonly CopiedTable[]> {
  if (!isPostgres(from) && !existsSync(storeFile(from))) return [];
  return await copyStore({ from: placeOf(from), to: placeOf(to), migrations: PANEL_MIGRATIONS, onProgress });
}

function isPostgres(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place);
}

function placeOf(place: string) {
  return isPostgres(place)
    ? addressOf({ dataFolder: ".", databaseUrl: place })
    : addressOf({ dataFolder: place, databaseUrl: undefined });
}
