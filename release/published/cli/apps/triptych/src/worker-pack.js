/** The worker was packed with the package. */
import { fileURLToPath } from "node:url";

export async function workerPack() {
  return fileURLToPath(new URL("../../worker/dist/triptych-worker.tgz", import.meta.url));
}
