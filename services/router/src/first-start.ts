/** Values generated at first start: the service token shared with gateway and rail, and, outside production, the router address. */
import { join } from "node:path";
import { generateKey, parseKey, type KeyForm } from "@triptych/api-keys";
import type { RandomSource } from "@triptych/ids";
import { secretFile, writeCredentials } from "@triptych/server";
import { acquireFileLock } from "@triptych/storage";

const SERVICE_FORM: KeyForm = { prefix: "rail_svc_", test: false };
/** Another process may be writing its section of the same file. */
const LOCK_WAIT_MS = 10_000;

/** One file for all services of a data folder, created by the first to start. */
export function serviceToken(dataFolder: string, random: RandomSource): Promise<string> {
  return secretFile({
    path: join(dataFolder, "service-token"),
    make: () => generateKey(SERVICE_FORM, random),
    isWhole: (text) => parseKey(text, [SERVICE_FORM]) !== undefined,
    remedy: "Remove it to create a new one at the next start, or set ROUTER_SERVICE_TOKEN.",
  });
}

export async function writeRouterCredentials(dataFolder: string, url: string): Promise<void> {
  await using _lock = await acquireFileLock(join(dataFolder, "credentials.lock"), { wait: LOCK_WAIT_MS });
  await writeCredentials(dataFolder, "router", { url });
}
