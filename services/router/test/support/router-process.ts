/** A router on small trained files in a process of its own, its store in the folder that it is given: to be killed. */
import { keptIn } from "./stored-in.ts";
import { openScene } from "./create-fixture.ts";

const scene = await openScene({ kept: await keptIn(process.argv[2]), now: Date.now });
await scene.server.listen({ host: "127.0.0.1", port: 0 });
process.send?.(scene.server.fastify.listeningOrigin);
// Whoever started it is gone: there is nobody to answer to.
process.on("disconnect", () => process.exit(0));
