/** Starts a run, or refuses it with a reason. */
import { ISOLATION_LEVELS } from "@triptych/contracts";
import { namesOf, selectAgents, type AgentSelection } from "../session/agent-selection.ts";
import type { Assign, RefuseReason } from "../session/wire.ts";
import { isOpen } from "./availability.ts";
import type { WorkerContext } from "./worker-context.ts";

/** With less free space, a clone could fill the disk. */
const DISK_MIN_MB = 512;

export async function admitRun(assign: Assign, context: WorkerContext): Promise<void> {
  const { options, sessions } = context;
  const { run_id, epoch } = assign;
  const lease = { run_id, epoch };
  const refuse = (reason: RefuseReason) => context.send({ t: "refuse", ...lease, reason });
  if (sessions.dispatch(lease, { kind: "assigned" })) return;
  sessions.dropOtherEpochs(run_id);
  const selection = selectAgents(assign, options.agents);
  const reason = reasonToRefuse(assign, selection, context) ?? (await lackOfDisk(context));
  if (reason !== null || selection === null) return refuse(reason ?? "unknown_cli");
  // The same run or another epoch of it may have arrived during the disk check.
  if (sessions.has(lease)) return;
  if (context.freeSlots() < 1) return refuse("no_slot");
  sessions.open(lease, options.work(assign, selection));
  sessions.dispatch(lease, { kind: "assigned" });
  options.tools.log(`run ${run_id} started (epoch ${epoch}, ${namesOf(selection)})`);
  context.update({ kind: "run_started" });
}

/** The reasons most useful to the panel come first. */
function reasonToRefuse(
  { isolation: { level_required } }: Assign,
  selection: AgentSelection | null,
  { options, availability, freeSlots }: WorkerContext,
): RefuseReason | null {
  if (!isOpen(availability())) return "stopping";
  if (freeSlots() < 1) return "no_slot";
  if (selection === null) return "unknown_cli";
  const isTooOpen = ISOLATION_LEVELS.indexOf(options.isolation) < ISOLATION_LEVELS.indexOf(level_required);
  return isTooOpen ? "isolation" : null;
}

async function lackOfDisk({ options }: WorkerContext): Promise<RefuseReason | null> {
  return (await options.diskFree()) < DISK_MIN_MB ? "disk" : null;
}
