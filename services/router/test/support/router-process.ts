/** A router on small trained files in a process of its own, its store in the folder that it is given: to be killed. */
import { openStorage } from "./stored-in.ts";
import { createFixture } from "./create-fixture.ts";

const fixture = await createFixture({ storage: await openStorage(process.argv[2]), now: Date.now });
await fixture.server.listen({ host: "127.0.0.1", port: 0 });
process.send?.(fixture.server.fastify.listeningOrigin);
// Whoever started it is gone: there is nobody to answer to.
process.on("disconnect", () => process.exit(0));
