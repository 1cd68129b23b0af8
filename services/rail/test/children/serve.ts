/** A rail in its own process: prints its address and runs until it is killed. */
import { start } from "../../src/service.ts";

const { url } = await start(process.env);
process.stdout.write(`${url}\n`);
