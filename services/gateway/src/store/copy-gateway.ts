/** Moves the gateway's store between a data folder and PostgreSQL, in either direction. The gateways must be stopped. */
import { copyStore, holdsStore, type CopiedTable, type CopyProgress } from "@triptych/storage";
import { GATEWAY_MIGRATIONS, GATEWAY_TRANSIENT_TABLES } from "./migrations.ts";
import { addressOf } from "./open-store.ts";

export interface GatewayCopy {
  /** A data folder, or the address of a PostgreSQL database. */
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: CopyProgress) => void;
}

export async function copyGateway({ from, to, onProgress }: GatewayCopy): Promise<readonly CopiedTable[]> {
  if (!(await holdsStore(placeOf(from)))) return [];
  const places = { from: placeOf(from), to: placeOf(to) };
  return await copyStore({ ...places, migrations: GATEWAY_MIGRATIONS, skip: GATEWAY_TRANSIENT_TABLES, onProgress });
}

function isPostgres(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place);
}

function placeOf(place: string) {
  return isPostgres(place)
    ? addressOf({ dataFolder: ".", databaseUrl: place })
    : addressOf({ dataFolder: place, databaseUrl: undefined });
}
