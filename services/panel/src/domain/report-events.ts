/** Maps a worker's report to a run event, by reported and current state. Other combinations are rejected. */
import { RUN_STATES, type ReportedState, type RunKind, type RunState } from "@triptych/contracts";
import { isLeased, type RunEvent } from "./run-states.ts";

type Row = Partial<Record<RunState, RunEvent>>;

/** For every leased state. */
const whileLeased = (event: RunEvent): Row =>
  Object.fromEntries(RUN_STATES.filter((state) => isLeased(state)).map((state) => [state, event]));

const TABLE: Readonly<Record<ReportedState, Row>> = {
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
  const event = TABLE[reported][run.state] ?? null;
  return event === "passed" && run.cancelRequestedAt !== null ? "cancelled" : event;
}
