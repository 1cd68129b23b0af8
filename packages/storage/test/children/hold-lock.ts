/** Holds a lock, says so, and stays until it is ended. */
import { holdExclusive } from "../../src/index.ts";

await holdExclusive(process.argv[2] ?? "");
process.stdout.write("held\n");
setInterval(() => undefined, 60_000);
