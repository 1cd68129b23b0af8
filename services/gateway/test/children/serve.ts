/** The gateway in a process of its own, for tests that kill it or read its log. It goes with its parent, however that ends. */
import { start } from "../../src/service.ts";

process.on("disconnect", () => process.exit());
const { url } = await start(process.env);
process.send?.(url);
