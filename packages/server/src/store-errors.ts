/** Responses for a store that is overloaded, unavailable or read-only. */
import type { Logger } from "pino";
import type { MapError } from "./error-handler.ts";
import { Problem } from "./problem.ts";

/**
 * Maps to 503: the client can safely retry.
 * @param classify classifies a store error; null for an internal error. @param away the message if the store is
 * down.
 */
export function mapStorageError(classify: (error: unknown) => "overloaded" | "down" | null, away: string): MapError {
  return (cause) => {
    const kind = classify(cause);
    if (kind === null) return null;
    const headers = { "Retry-After": "1" };
    if (kind === "overloaded") return new Problem("overloaded", { cause, headers });
    return new Problem("not_ready", { detail: away, cause, headers });
  };
}

/** Readiness of a service with a writable store. The cause goes to the log only; the response is public. */
export function storeReadiness(writeError: () => Promise<string | null>, logger: Logger): () => Promise<string | null> {
  return async () => {
    const issue = await writeError();
    if (issue === null) return null;
    logger.error({ fault: issue }, "store is read-only");
    return "The store is read-only.";
  };
}
