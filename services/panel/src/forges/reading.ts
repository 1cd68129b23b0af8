/** What a forge answers is data of strangers: each member is looked at before it is believed. */
import { ForgeFault, type ForgeFaultKind } from "./forge.ts";
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
  throw new ForgeFault("refused", "The forge answered something that is no pull request.", {
    status: 200,
    retryAfterS: null,
  });
}

/** An address that people follow: nothing but the web. */
export function webUrlOf(value: unknown): string {
  const url = URL.parse(textOf(value));
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : "";
}

export function isDone({ status }: ForgeAnswer): boolean {
  return status < 300;
}

export function faultOf({ status }: ForgeAnswer, kind: ForgeFaultKind = "refused"): ForgeFault {
  return new ForgeFault(kind, `The forge answered ${status}.`, { status, retryAfterS: null });
}

/** The answer, or the fault that it is. */
export function done(answer: ForgeAnswer): unknown {
  if (isDone(answer)) return answer.body;
  throw faultOf(answer);
}

/** Whether a refusal says that there is one already. */
export function saysExists({ status, body }: ForgeAnswer): boolean {
  return (status === 409 || status === 422) && /already exists/i.test(JSON.stringify(body));
}

/** As a person would see it: "may" only where the forge says so. */
export function flagOf(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}
