/** Readiness of a service with a writable store. The cause goes to the log only; the response is public. */
import type { Logger } from "pino";

export function storeReadiness(writeFault: () => Promise<string | null>, logger: Logger): () => Promise<string | null> {
  return async () => {
    const fault = await writeFault();
    if (fault === null) return null;
    logger.error({ fault }, "store is read-only");
    return "The store is read-only.";
  };
}
