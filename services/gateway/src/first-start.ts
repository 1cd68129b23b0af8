/** Values generated at first start: the instance name at the rail, and, outside production, the gateway address. */
import { join } from "node:path";
import type { RandomSource } from "@triptych/ids";
import { secretFile, writeCredentials } from "@triptych/server";
import { acquireFileLock, FileLockHeldError, lockCredentials } from "@triptych/storage";

const INSTANCES_MAX = 64;

export interface GatewayInstance extends AsyncDisposable {
  readonly name: string;
}

/**
 * Acquires a unique instance name. It is reused after a restart, so that the rail reverses the open charges of a killed
 * process immediately instead of after the lease. The OS releases the lock on the name however the process ends.
 */
export async function holdInstance(dataFolder: string, random: RandomSource): Promise<GatewayInstance> {
  for (let slot = 1; slot <= INSTANCES_MAX; slot++) {
    const path = join(dataFolder, "gateways", String(slot));
    const lock = await acquireFileLock(`${path}.lock`).catch(ignoreLocked);
    if (lock === null) continue;
    const name = await secretFile({
      path: `${path}.name`,
      make: () => `gw-${Buffer.from(random(8)).toString("hex")}`,
      isWhole: (text) => /^[A-Za-z0-9._-]{1,64}$/.test(text),
      remedy: "Remove it, or set GATEWAY_INSTANCE.",
    });
    return { name, [Symbol.asyncDispose]: () => lock.release() };
  }
  throw new Error(`${INSTANCES_MAX} gateways already use ${dataFolder}. Set GATEWAY_INSTANCE to start more.`);
}

function ignoreLocked(error: unknown): null {
  if (error instanceof FileLockHeldError) return null;
  throw error;
}

export async function writeGatewayCredentials(dataFolder: string, url: string): Promise<void> {
  await using _lock = await lockCredentials(dataFolder);
  await writeCredentials(dataFolder, "gateway", { url });
}
