/** A rail in a process of its own: prints its address, and lives until it is killed. */
import { start } from "../../src/service.ts";

const { url } = await start(process.env);
process.stdout.write(`${url}\n`);
