/** A rail in a process of its own, as the command line starts it; its address goes to whoever started it, with whom it ends. */
import { start } from "../src/service.ts";

const rail = await start(process.env);
process.send?.(rail.url);
process.on("disconnect", () => void rail.stop().then(() => process.exit(0)));
