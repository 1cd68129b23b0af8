/** A port at which a killed process can come back. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that outgoing connections are given: else one of those could have taken it meanwhile, or reach itself while nobody
 * listens. Not of the campaign's own chance: two campaigns of one seed would look for the same ports at the same time.
 */
export async function findPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
