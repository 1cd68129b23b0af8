/**
 * What the bus says, as rows: messages in their order, with the calls of tools that follow one another in one lane folded into one row.
 * Rows grow at their end only, so that a busy run costs what is new and not what is there.
 */
import type { BusRole } from "@triptych/contracts/plain";
import type { BusMessage } from "@triptych/contracts";

export interface Row {
  /** Of its first message: a row keeps it for ever. */
  readonly key: number;
  readonly role: BusRole;
  /** One, but for folded tools. The last row may grow. */
  readonly messages: readonly BusMessage[];
  readonly isFold: boolean;
  readonly isError: boolean;
}

/** A fold that is opened shows all that is in it, and one that grows is copied: both stay small. */
export const FOLD_MOST = 100;

/** The row that a message makes, or what it makes of the last one, which it then stands in the place of. */
export function rowOf(message: BusMessage, last: Row | undefined): { readonly row: Row; readonly isGrown: boolean } {
  const isFold = message.kind === "tool_call" || message.kind === "tool_result";
  const role = message.from.role;
  const isError = isFailure(message);
  if (isFold && last?.isFold === true && last.role === role && last.messages.length < FOLD_MOST)
    return {
      row: { ...last, messages: [...last.messages, message], isError: last.isError || isError },
      isGrown: true,
    };
  return { row: { key: message.seq, role, messages: [message], isFold, isError }, isGrown: false };
}

/** What a reader looks for first when a run went wrong. */
export function isFailure({ kind, data, round }: Pick<BusMessage, "kind" | "data" | "round">): boolean {
  if (kind === "error") return true;
  // Red before anything was changed is what many runs begin with.
  if (kind === "verify") return (round ?? 0) > 0 && data["exit_code"] !== undefined && data["exit_code"] !== 0;
  if (kind === "verdict") return data["verdict"] === "failed" || data["verdict"] === "baseline_broken";
  return kind === "tool_result" && (data["is_error"] === true || data["ok"] === false);
}

const ORDER: readonly BusRole[] = ["panel", "worker", "scout", "planner", "coder", "reviewer"];

/** The lanes that there are, from the one that keeps the books to those that do the work. */
export function lanesOf(roles: Iterable<BusRole>): readonly BusRole[] {
  const there = new Set(roles);
  return ORDER.filter((role) => there.has(role));
}

export interface Step {
  readonly state: string;
  readonly at: number;
  /** Until the next step; null while it lasts. */
  readonly ms: number | null;
}

export function isStateChange({ kind, data }: Pick<BusMessage, "kind" | "data">): boolean {
  return kind === "state" && typeof data["state"] === "string";
}

/**
 * The states that a run has been in, with how long it was in each. What it rests in at its end lasts no time.
 * @param changes the messages that say a state, in their order.
 */
export function stepsOf(changes: readonly BusMessage[], isOver: boolean): readonly Step[] {
  return changes.map(({ data, at }, index) => {
    const next = changes[index + 1];
    const begun = Date.parse(at);
    const ms = next === undefined ? (isOver ? 0 : null) : Date.parse(next.at) - begun;
    return { state: String(data["state"]), at: begun, ms };
  });
}
