/** A port that a restarted process can reuse. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ephemeral ports: otherwise an outgoing connection could take the port, or connect to itself. Not from the
 * campaign's seed: two campaigns of one seed would try the same ports.
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
