/** Readiness of a service that needs its store to take writes. What exactly is wrong is for the log; the response is for everybody. */
import type { Logger } from "pino";

export function storeReadiness(writeFault: () => Promise<string | null>, logger: Logger): () => Promise<string | null> {
  return async () => {
    const fault = await writeFault();
    if (fault === null) return null;
    logger.error({ fault }, "the store takes no writes");
    return "The store takes no writes.";
  };
}
