/** What a start makes by itself: the service token that gateway and rail share, and outside production the router's address for newcomers. */
import { join } from "node:path";
import { generateKey, parseKey, type KeyForm, type RandomSource } from "@triptych/metering";
import { secretFile, writeCredentials } from "@triptych/server";
import { acquireFileLock } from "@triptych/storage";

const SERVICE_FORM: KeyForm = { prefix: "rail_svc_", test: false };
/** Another process may write its section of the file at the same time: it waits for us, or we for it. */
const LOCK_WAIT_MS = 10_000;

/** One file for all services of a data folder: made by whichever starts first. */
export function serviceToken(dataFolder: string, random: RandomSource): Promise<string> {
  return secretFile({
    path: join(dataFolder, "service-token"),
    make: () => generateKey(SERVICE_FORM, random),
    isWhole: (text) => parseKey(text, [SERVICE_FORM]) !== undefined,
    remedy: "Remove it, so that the next start makes another, or set ROUTER_SERVICE_TOKEN.",
  });
}

export async function writeRouterCredentials(dataFolder: string, url: string): Promise<void> {
  await using _lock = await acquireFileLock(join(dataFolder, "credentials.lock"), { wait: LOCK_WAIT_MS });
  await writeCredentials(dataFolder, "router", { url });
}
