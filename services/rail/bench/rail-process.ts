/** A rail in its own process, started as by the command line. Reports its address to the parent and ends with it. */
import { start } from "../src/service.ts";

const rail = await start(process.env);
process.send?.(rail.url);
process.on("disconnect", () => void rail.stop().then(() => process.exit(0)));
