/** Maps an unavailable or overloaded store to 503: the client can safely retry. */
import type { Translate } from "./error-handler.ts";
import { Problem } from "./problem.ts";

/**
 * @param troubleOf classifies a store error; null for an internal error. @param away the message if the store is
 * down.
 */
export function translateTrouble(troubleOf: (error: unknown) => "overloaded" | "down" | null, away: string): Translate {
  return (cause) => {
    const trouble = troubleOf(cause);
    if (trouble === null) return null;
    const headers = { "Retry-After": "1" };
    if (trouble === "overloaded") return new Problem("overloaded", { cause, headers });
    return new Problem("not_ready", { detail: away, cause, headers });
  };
}
