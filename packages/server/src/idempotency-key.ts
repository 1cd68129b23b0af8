/** `Idempotency-Key`: 1 to 255 visible ASCII characters. */
import type { IncomingHttpHeaders } from "node:http";
import type { ValidationErrors } from "./validation-errors.ts";

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

export function readIdempotencyKey(headers: IncomingHttpHeaders, errors: ValidationErrors): string | null {
  const value = headers["idempotency-key"];
  if (value === undefined) return null;
  if (typeof value === "string" && VISIBLE.test(value)) return value;
  errors.add({
    path: "header:Idempotency-Key",
    reason: "wrong_form",
    message: "`Idempotency-Key` must be 1 to 255 visible ASCII characters without spaces.",
  });
  return null;
}
