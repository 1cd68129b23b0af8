/** Readiness of a service with a writable store. The cause goes to the log only; the response is public. */
import type { Logger } from "pino";

export function storeReadiness(writeError: () => Promise<string | null>, logger: Logger): () => Promise<string | null> {
  return async () => {
    const issue = await writeError();
    if (issue === null) return null;
    logger.error({ fault: issue }, "store is read-only");
    return "The store is read-only.";
  };
}
