/** What a start makes by itself: the service token, the name of this process to the rail, and outside production the address for newcomers. */
import { join } from "node:path";
import { generateKey, parseKey, type KeyForm, type RandomSource } from "@triptych/metering";
import { secretFile, writeCredentials } from "@triptych/server";
import { acquireFileLock, FileLockHeldError } from "@triptych/storage";

const SERVICE_FORM: KeyForm = { prefix: "rail_svc_", test: false };
/** Another process may write its section of the file at the same time: it waits for us, or we for it. */
const LOCK_WAIT_MS = 10_000;
/** Gateways of one data folder, at most. */
const INSTANCES_MAX = 64;

/** One file for all services of a data folder: made by whichever starts first. */
export function serviceToken(dataFolder: string, random: RandomSource): Promise<string> {
  return secretFile({
    path: join(dataFolder, "service-token"),
    make: () => generateKey(SERVICE_FORM, random),
    isWhole: (text) => parseKey(text, [SERVICE_FORM]) !== undefined,
    remedy: "Remove it, so that the next start makes another, or set RAIL_SERVICE_TOKEN and ROUTER_SERVICE_TOKEN.",
  });
}

export interface GatewayInstance extends AsyncDisposable {
  readonly name: string;
}

/**
 * A name that no other running process has. It is kept from start to start, so that the rail reverses at once what a killed process has
 * left open, instead of waiting for the end of its lease; the lock of each kept name goes with its process, however that ends.
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
  throw new Error(`${INSTANCES_MAX} gateways run on ${dataFolder} already. Set GATEWAY_INSTANCE to start more.`);
}

function ignoreLocked(error: unknown): null {
  if (error instanceof FileLockHeldError) return null;
  throw error;
}

export async function writeGatewayCredentials(dataFolder: string, url: string): Promise<void> {
  await using _lock = await acquireFileLock(join(dataFolder, "credentials.lock"), { wait: LOCK_WAIT_MS });
  await writeCredentials(dataFolder, "gateway", { url });
}
