/**
 * Rows of the bus: messages in order, with consecutive tool calls of one lane folded into one row. Rows change only at the end, so the
 * cost is proportional to new messages.
 */
import type { BusRole } from "@triptych/contracts/plain";
import type { BusMessage } from "@triptych/contracts";

export interface Row {
  /** Key of its first message, stable. */
  readonly key: number;
  readonly role: BusRole;
  /** One, except for folded tool calls. The last row may grow. */
  readonly messages: readonly BusMessage[];
  readonly isFold: boolean;
  readonly isError: boolean;
}

/** Bounds a fold, which is copied as it grows and shown whole when opened. */
export const FOLD_ROWS_MAX = 100;

/** The row of a message, or the replacement of the last row. */
export function rowOf(message: BusMessage, last: Row | undefined): { readonly row: Row; readonly isGrown: boolean } {
  const isFold = message.kind === "tool_call" || message.kind === "tool_result";
  const role = message.from.role;
  const isError = isFailure(message);
  if (isFold && last?.isFold === true && last.role === role && last.messages.length < FOLD_ROWS_MAX)
    return {
      row: { ...last, messages: [...last.messages, message], isError: last.isError || isError },
      isGrown: true,
    };
  return { row: { key: message.seq, role, messages: [message], isFold, isError }, isGrown: false };
}

export function isFailure({ kind, data, round }: Pick<BusMessage, "kind" | "data" | "round">): boolean {
  if (kind === "error") return true;
  // A failing baseline is not an error, because many runs start with one.
  if (kind === "verify") return (round ?? 0) > 0 && data["exit_code"] !== undefined && data["exit_code"] !== 0;
  if (kind === "verdict") return data["verdict"] === "failed" || data["verdict"] === "baseline_broken";
  return kind === "tool_result" && (data["is_error"] === true || data["ok"] === false);
}

const ORDER: readonly BusRole[] = ["panel", "worker", "scout", "planner", "coder", "reviewer"];

/** The lanes, from the system's to the working roles. */
export function lanesOf(roles: Iterable<BusRole>): readonly BusRole[] {
  const there = new Set(roles);
  return ORDER.filter((role) => there.has(role));
}

export interface Step {
  readonly state: string;
  readonly at: number;
  /** Until the next state; null while it lasts. */
  readonly ms: number | null;
}

export function isStateChange({ kind, data }: Pick<BusMessage, "kind" | "data">): boolean {
  return kind === "state" && typeof data["state"] === "string";
}

/** The states of a run with their durations. A final state has none. @param changes the state messages, in order. */
export function stepsOf(changes: readonly BusMessage[], isOver: boolean): readonly Step[] {
  return changes.map(({ data, at }, index) => {
    const next = changes[index + 1];
    const start = Date.parse(at);
    const ms = next === undefined ? (isOver ? 0 : null) : Date.parse(next.at) - start;
    return { state: String(data["state"]), at: start, ms };
  });
}
