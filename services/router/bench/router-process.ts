/**
 * A router in its own process, started as the CLI does. Reports its address and later its resource usage to the parent.
 */
import { start } from "../src/service.ts";

const router = await start(process.env);
process.send?.(router.url);
process.on("message", () => process.send?.(process.cpuUsage()));
process.on("disconnect", () => void router.stop().then(() => process.exit(0)));
