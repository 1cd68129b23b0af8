/**
 * State machine of runs (section 4 of the contract): one table of state x event -> state, the only way to change a state. Terminal states
 * have no exit; a `pushed` run rests but may still get its pull request.
 */
import { type RunPhase, type RunState, RUN_STATES, type ReportedState, type RunKind } from "@triptych/contracts";

export const RUN_EVENTS = [
  /** Offered to a worker, which accepts it or returns it without a counted attempt. */
  "leased",
  "accepted",
  "given_back",
  /** The lease expired, whether or not attempts are left. */
  "lapsed",
  "lapsed_for_good",
  "aged_out",
  /** Clone, setup and baseline are done: the agent starts. */
  "ready",
  /** The gate already passes, or the agent changed nothing. */
  "unchanged",
  /** The agent ended with a change, or a scout ended and its gates run. */
  "agent_ended",
  /** The checks fail and rounds are left: the agent continues. */
  "red_again",
  "gates_run",
  /** Verified; the panel has stored and checked the bundle. */
  "passed",
  "failed",
  "cancelled",
  "push_confirmed",
  "push_refused",
  "pr_found",
] as const;
export type RunEvent = (typeof RUN_EVENTS)[number];

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

export function stateAfter(state: RunState, event: RunEvent): RunState | null {
  return TABLE[state][event] ?? null;
}

export function isTerminal(state: RunState): boolean {
  return Object.keys(TABLE[state]).length === 0;
}

export function isLeased(state: RunState): boolean {
  return TABLE[state].lapsed !== undefined;
}

/** Reports of its epoch's worker are accepted, from the lease to the end. */
export function acceptsWorkerEvents(state: RunState): boolean {
  return state !== "queued" && !isTerminal(state);
}

/** Blocks another run: it has neither ended nor come to rest. */
export function isActive(state: RunState): boolean {
  return !isTerminal(state) && state !== "pushed";
}

const RETRYABLE: ReadonlySet<RunState> = new Set(["failed", "cancelled", "lost", "expired"]);

export function isRetryable(state: RunState): boolean {
  return RETRYABLE.has(state);
}

const FAILURES: ReadonlySet<RunState> = new Set(["failed", "cancelled", "expired", "lost"]);

export interface PhaseNeeds {
  readonly wantsPr: boolean;
  readonly needsAttention?: boolean;
}

/** The phase shown to people; `wantsPr`: the pull request is created automatically. */
export function phaseOf(state: RunState, { wantsPr, needsAttention = false }: PhaseNeeds): RunPhase {
  if (needsAttention) return "attention";
  if (FAILURES.has(state)) return "failure";
  if (isActive(state)) return "active";
  return state === "pushed" && wantsPr ? "attention" : "success";
}

/** No further automatic change follows: the run has ended, or has reached its goal. */
export function isComplete(state: RunState, wants: PhaseNeeds): boolean {
  return isTerminal(state) || (state === "pushed" && phaseOf(state, wants) === "success");
}

export type CancelAnswer = "already" | "refused" | "at_once" | "requested";

/**
 * Outcome of a cancellation request. Queued runs and runs of disconnected workers end immediately. A connected worker is asked first,
 * because only it can stop the agent. From pushing on, cancellation is refused.
 */
export function cancelOutcome(
  state: RunState,
  { workerIsConnected }: { readonly workerIsConnected: boolean },
): CancelAnswer {
  if (state === "cancelled") return "already";
  if (stateAfter(state, "cancelled") === null) return "refused";
  return isLeased(state) && workerIsConnected ? "requested" : "at_once";
}

type ReportRow = Partial<Record<RunState, RunEvent>>;

/** Transitions of every leased state. */
const whileLeased = (event: RunEvent): ReportRow =>
  Object.fromEntries(RUN_STATES.filter((state) => isLeased(state)).map((state) => [state, event]));

/** Events of a worker's reports, by reported and current state; other combinations are rejected. */
const REPORTS: Readonly<Record<ReportedState, ReportRow>> = {
  running: { preparing: "ready", verifying: "red_again" },
  verifying: { running: "agent_ended" },
  pushing: { verifying: "passed" },
  no_change: { preparing: "unchanged", running: "unchanged" },
  succeeded: { verifying: "gates_run" },
  failed: whileLeased("failed"),
  cancelled: whileLeased("cancelled"),
};

interface Reported {
  readonly state: RunState;
  readonly kind: RunKind;
  readonly cancelRequestedAt: number | null;
}

/** A scout never pushes, and only a scout succeeds; a run is cancelled only on request. */
export function eventOfReport(reported: ReportedState, run: Reported): RunEvent | null {
  if (reported === "pushing" && run.kind === "explore") return null;
  if (reported === "succeeded" && run.kind !== "explore") return null;
  if (reported === "cancelled" && run.cancelRequestedAt === null) return null;
  // After an accepted cancellation the run ends instead of pushing.
  const event = REPORTS[reported][run.state] ?? null;
  return event === "passed" && run.cancelRequestedAt !== null ? "cancelled" : event;
}
