/** Holds a lock, says so, and stays until it is ended. */
import { acquireFileLock } from "../../src/index.ts";

await acquireFileLock(process.argv[2] ?? "");
process.stdout.write("held\n");
setInterval(() => undefined, 60_000);
