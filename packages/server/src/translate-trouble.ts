/** What a store that is away, or takes nothing more, is to the caller: 503, and nothing is lost by trying again. */
import type { Translate } from "./answer-errors.ts";
import { Problem } from "./problem.ts";

/** @param troubleOf what the door to the store says of an error; null where it is a fault of ours. @param away the sentence for a store that is down. */
export function translateTrouble(troubleOf: (error: unknown) => "overloaded" | "down" | null, away: string): Translate {
  return (cause) => {
    const trouble = troubleOf(cause);
    if (trouble === null) return null;
    const headers = { "Retry-After": "1" };
    if (trouble === "overloaded") return new Problem("overloaded", { cause, headers });
    return new Problem("not_ready", { detail: away, cause, headers });
  };
}
