/** Values generated at first start: the service token, the instance name at the rail, and, outside production, the gateway address. */
import { join } from "node:path";
import { generateKey, parseKey, type KeyForm } from "@triptych/api-keys";
import type { RandomSource } from "@triptych/ids";
import { secretFile, writeCredentials } from "@triptych/server";
import { acquireFileLock, FileLockHeldError } from "@triptych/storage";

const SERVICE_FORM: KeyForm = { prefix: "rail_svc_", test: false };
/** Another process may be writing its section of the same file. */
const LOCK_WAIT_MS = 10_000;
const INSTANCES_MAX = 64;

/** One file for all services of a data folder, created by the first to start. */
export function serviceToken(dataFolder: string, random: RandomSource): Promise<string> {
  return secretFile({
    path: join(dataFolder, "service-token"),
    make: () => generateKey(SERVICE_FORM, random),
    isWhole: (text) => parseKey(text, [SERVICE_FORM]) !== undefined,
    remedy: "Remove it to create a new one at the next start, or set RAIL_SERVICE_TOKEN and ROUTER_SERVICE_TOKEN.",
  });
}

export interface GatewayInstance extends AsyncDisposable {
  readonly name: string;
}

/**
 * A unique instance name, reused after a restart, so the rail reverses the open charges of a killed process
 * immediately instead of after the lease. The OS releases the name's lock however the process ends.
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
  throw new Error(
    `${INSTANCES_MAX} gateways are already running on ${dataFolder}. Set GATEWAY_INSTANCE to start more.`,
  );
}

function ignoreLocked(error: unknown): null {
  if (error instanceof FileLockHeldError) return null;
  throw error;
}

export async function writeGatewayCredentials(dataFolder: string, url: string): Promise<void> {
  await using _lock = await acquireFileLock(join(dataFolder, "credentials.lock"), { wait: LOCK_WAIT_MS });
  await writeCredentials(dataFolder, "gateway", { url });
}
