/** A router in a process of its own, as the command line starts it. Whoever started it is told its address, then what it has used. */
import { start } from "../src/service.ts";

const router = await start(process.env);
process.send?.(router.url);
process.on("message", () => process.send?.(process.cpuUsage()));
process.on("disconnect", () => void router.stop().then(() => process.exit(0)));
