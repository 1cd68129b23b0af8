/**
 * The life of a run: one table of state x event -> state, section 4 of the contract. What is not in it cannot happen, and nothing
 * else sets a state. Terminal states have no way out; `pushed` is at rest but may still find its pull request.
 */
import type { RunPhase, RunState } from "@triptych/contracts";

export const RUN_EVENTS = [
  /** A worker is offered the run; it takes it, or the run comes back without an attempt being counted. */
  "leased",
  "accepted",
  "given_back",
  /** The lease is over, with attempts left or without. */
  "lapsed",
  "lapsed_for_good",
  /** Nobody took it for a day. */
  "aged_out",
  /** Clone, setup and baseline are done: the agent starts. */
  "ready",
  /** There is nothing to do: the gate is green already, or the agent left the tree as it was. */
  "unchanged",
  /** The agent ended and the tree differs, or a scout ended and its gates are run. */
  "agent_ended",
  /** Red with rounds left: the agent goes on. */
  "red_again",
  "gates_run",
  /** Verified, and the bundle is stored and checked by the panel. */
  "passed",
  "failed",
  "cancelled",
  "push_confirmed",
  "push_refused",
  "pr_found",
] as const;
export type RunEvent = (typeof RUN_EVENTS)[number];

/** What can end a run while a worker holds it. */
const LEASED_TRANSITIONS = {
  given_back: "queued",
  lapsed: "queued",
  lapsed_for_good: "lost",
  failed: "failed",
  cancelled: "cancelled",
} as const;

const TABLE: Readonly<Record<RunState, Partial<Record<RunEvent, RunState>>>> = {
  queued: { leased: "leased", cancelled: "cancelled", aged_out: "expired" },
  leased: { ...LEASED_TRANSITIONS, accepted: "preparing" },
  preparing: { ...LEASED_TRANSITIONS, ready: "running", unchanged: "no_change" },
  running: { ...LEASED_TRANSITIONS, unchanged: "no_change", agent_ended: "verifying" },
  verifying: { ...LEASED_TRANSITIONS, red_again: "running", gates_run: "succeeded", passed: "pushing" },
  pushing: { push_confirmed: "pushed", push_refused: "failed" },
  pushed: { pr_found: "pr_open" },
  pr_open: {},
  succeeded: {},
  no_change: {},
  failed: {},
  cancelled: {},
  expired: {},
  lost: {},
};

/** Null where the event cannot happen in this state. */
export function stateAfter(state: RunState, event: RunEvent): RunState | null {
  return TABLE[state][event] ?? null;
}

export function isTerminal(state: RunState): boolean {
  return Object.keys(TABLE[state]).length === 0;
}

/** A worker has it: its lease counts. */
export function isLeased(state: RunState): boolean {
  return TABLE[state].lapsed !== undefined;
}

/** What the worker of its epoch says of it is still heard: from the lease until it has ended. */
export function acceptsWorkerEvents(state: RunState): boolean {
  return state !== "queued" && !isTerminal(state);
}

/** It stands in the way of another run: everything before it rests or has ended. */
export function isActive(state: RunState): boolean {
  return !isTerminal(state) && state !== "pushed";
}

const RETRYABLE: ReadonlySet<RunState> = new Set(["failed", "cancelled", "lost", "expired"]);

export function isRetryable(state: RunState): boolean {
  return RETRYABLE.has(state);
}

const FAILURES: ReadonlySet<RunState> = new Set(["failed", "cancelled", "expired", "lost"]);

/** What a person wants to know of a run; `wantsPr`: the pull request is made by itself, on a forge that has them. */
export function phaseOf(state: RunState, { wantsPr }: { readonly wantsPr: boolean }): RunPhase {
  if (FAILURES.has(state)) return "failure";
  if (isActive(state)) return "active";
  return state === "pushed" && wantsPr ? "attention" : "success";
}

/** Nothing more is said of it by itself: it has ended, or rests where it was to come. */
export function isComplete(state: RunState, wants: { readonly wantsPr: boolean }): boolean {
  return isTerminal(state) || (state === "pushed" && phaseOf(state, wants) === "success");
}

export type CancelAnswer = "already" | "refused" | "at_once" | "asked";

/**
 * What a wish to cancel does. Queued runs, and runs whose worker is not connected, end at once; a connected worker is asked first,
 * because only it can stop the agent. From pushing on the answer is no: the code is on its way.
 */
export function cancelOutcome(
  state: RunState,
  { workerIsConnected }: { readonly workerIsConnected: boolean },
): CancelAnswer {
  if (state === "cancelled") return "already";
  if (stateAfter(state, "cancelled") === null) return "refused";
  return isLeased(state) && workerIsConnected ? "asked" : "at_once";
}
