/** Copies the gateway's store between a data folder and PostgreSQL, in either direction. The gateways must be stopped. */
import { copyStore, holdsStore, type CopiedTable, type CopyProgress } from "@triptych/storage";
import { GATEWAY_MIGRATIONS, GATEWAY_TRANSIENT_TABLES } from "./migrations.ts";
import { addressOf } from "./open-store.ts";

export interface GatewayCopy {
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: CopyProgress) => void;
}

export async function copyGateway({ from, to, onProgress }: GatewayCopy): Promise<readonly CopiedTable[]> {
  if (!(await holdsStore(toStoreAddress(from)))) return [];
  const addresses = { from: toStoreAddress(from), to: toStoreAddress(to) };
  return await copyStore({ ...addresses, migrations: GATEWAY_MIGRATIONS, skip: GATEWAY_TRANSIENT_TABLES, onProgress });
}

function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

function toStoreAddress(address: string) {
  return isPostgres(address)
    ? addressOf({ dataFolder: ".", databaseUrl: address })
    : addressOf({ dataFolder: address, databaseUrl: undefined });
}
