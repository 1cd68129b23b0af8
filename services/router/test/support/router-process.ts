/** A router on small models in its own process, with its store in the given folder, for tests that kill it. */
import { openStorage } from "./stored-in.ts";
import { createFixture } from "./create-fixture.ts";

const fixture = await createFixture({ storage: await openStorage(process.argv[2]), now: Date.now });
await fixture.server.listen({ host: "127.0.0.1", port: 0 });
process.send?.(fixture.server.fastify.listeningOrigin);
// The parent has exited, so nobody reads the response.
process.on("disconnect", () => process.exit(0));
