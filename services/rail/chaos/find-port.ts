/** A port at which a killed process can come back. */
import { createServer } from "node:net";
import type { Chance } from "../sim/random.ts";

/**
 * Below the ports that outgoing connections are given: else one of those could have taken it meanwhile, or reach itself while nobody
 * listens.
 */
export async function findPort(chance: Chance): Promise<number> {
  for (;;) {
    const port = chance.between(20_000, 31_999);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
