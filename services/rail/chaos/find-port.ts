/** Finds a port that a restarted process can use again. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * The port is below the ephemeral ports, because otherwise an outgoing connection could take it, or connect to itself.
 * It does not depend on the seed of the campaign, because two campaigns with the same seed would try the same ports.
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
