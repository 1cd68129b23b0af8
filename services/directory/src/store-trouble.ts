/** A store that does not answer, or is asked too much at once, is no fault of the caller and none of the program: 503, and the caller tries again. */
import { Problem } from "@triptych/server";
import { storeTrouble } from "@triptych/storage";

export function translateStoreTrouble(cause: unknown): Problem | null {
  const trouble = storeTrouble(cause);
  if (trouble === null) return null;
  const headers = { "Retry-After": "1" };
  if (trouble === "overloaded") return new Problem("overloaded", { cause, headers });
  return new Problem("not_ready", { detail: "The store does not answer now. No item was sent.", cause, headers });
}
