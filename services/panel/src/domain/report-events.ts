/** What a worker's report does to a run, by the state it reports and the state the run is in. Whatever is not here is rejected. */
import { RUN_STATES, type ReportedState, type RunKind, type RunState } from "@triptych/contracts";
import { isLeased, type RunEvent } from "./run-states.ts";

type Row = Partial<Record<RunState, RunEvent>>;

/** A run that a worker holds, whatever it is doing. */
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

/** A scout has nothing to push, and only a scout succeeds; a run is cancelled where somebody asked for it. */
export function eventOfReport(reported: ReportedState, run: Reported): RunEvent | null {
  if (reported === "pushing" && run.kind === "explore") return null;
  if (reported === "succeeded" && run.kind !== "explore") return null;
  if (reported === "cancelled" && run.cancelRequestedAt === null) return null;
  // Once a wish to cancel was accepted the run never reaches pushing: what it asks for is its end.
  const event = TABLE[reported][run.state] ?? null;
  return event === "passed" && run.cancelRequestedAt !== null ? "cancelled" : event;
}
