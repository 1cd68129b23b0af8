/** Acquires a lock, reports it, and waits to be killed. */
import { acquireFileLock } from "../../src/index.ts";

await acquireFileLock(process.argv[2] ?? "");
process.stdout.write("held\n");
setInterval(() => undefined, 60_000);
