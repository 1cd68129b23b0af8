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

export function appendRows(rows: Row[], messages: readonly BusMessage[]): void {
  for (const message of messages) {
    const last = rows.at(-1);
    const isTool = message.kind === "tool_call" || message.kind === "tool_result";
    if (isTool && last?.isFold === true && last.role === message.from.role)
      rows[rows.length - 1] = {
        ...last,
        messages: [...last.messages, message],
        isError: last.isError || isFailure(message),
      };
    else
      rows.push({
        key: message.seq,
        role: message.from.role,
        messages: [message],
        isFold: isTool,
        isError: isFailure(message),
      });
  }
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

/** The states that a run has been in, with how long it was in each. What it rests in at its end lasts no time. */
export function stepsOf(messages: readonly BusMessage[], isOver: boolean): readonly Step[] {
  const changes = messages.filter(({ kind, data }) => kind === "state" && typeof data["state"] === "string");
  return changes.map(({ data, at }, place) => {
    const next = changes[place + 1];
    const begun = Date.parse(at);
    const ms = next === undefined ? (isOver ? 0 : null) : Date.parse(next.at) - begun;
    return { state: String(data["state"]), at: begun, ms };
  });
}
