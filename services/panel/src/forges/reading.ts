/** Forge responses are untrusted: each member is validated. */
import { ForgeError, type ForgeErrorKind } from "./forge.ts";
import type { ForgeAnswer } from "./call.ts";

export type Members = Readonly<Record<string, unknown>>;

export function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(membersOf) : [];
}

export function numberOf(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw new ForgeError("refused", "The response of the forge has no valid number.", {
    status: 200,
    retryAfterS: null,
  });
}

/** Accepts web URLs only: people follow them. */
export function webUrlOf(value: unknown): string {
  const url = URL.parse(textOf(value));
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : "";
}

export function isDone({ status }: ForgeAnswer): boolean {
  return status < 300;
}

export function errorOf({ status }: ForgeAnswer, kind: ForgeErrorKind = "refused"): ForgeError {
  return new ForgeError(kind, `The forge responded with status ${status}.`, { status, retryAfterS: null });
}

/** The body, or throws for an error response. */
export function done(answer: ForgeAnswer): unknown {
  if (isDone(answer)) return answer.body;
  throw errorOf(answer);
}

/** Whether a refusal means that it already exists. */
export function saysExists({ status, body }: ForgeAnswer): boolean {
  return (status === 409 || status === 422) && /already exists/i.test(JSON.stringify(body));
}

/** True only where the forge confirms it. */
export function flagOf(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}
