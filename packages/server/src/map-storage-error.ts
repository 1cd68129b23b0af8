/** Maps an unavailable or overloaded store to 503: the client can safely retry. */
import type { MapError } from "./error-handler.ts";
import { Problem } from "./problem.ts";

/**
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
