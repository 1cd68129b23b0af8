/** Tells the owner how to unblock a run that waits for a worker; null where only waiting helps. */
import type { IsolationLevel, QueueReason, RepoSettings, RunKind, WorkerReason } from "@triptych/contracts";
import { atLeast, isBelow } from "../domain/isolation.ts";
import { missingWorkers, needsOf, type WorkerCapacity } from "./rules.ts";

/** The run's required level and the operator's minimum: a hint suggests no level below it. */
export interface HintedLevels {
  readonly required: IsolationLevel;
  readonly minimum: IsolationLevel;
}

export function queueHintOf(reason: QueueReason | null, levels: HintedLevels): string | null {
  switch (reason) {
    case "no_worker":
    case "no_worker_with_cli":
    case "no_worker_with_isolation":
      return workerHint(reason, levels);
    case "plan_concurrency":
    case "repo_busy":
    case "repo_paused":
    case "repo_unreachable":
    case "retry_delay":
    case "workers_full":
    case null:
      return null;
  }
}

export interface ConnectedHands {
  readonly hands: readonly WorkerCapacity[];
  readonly isolationMin: IsolationLevel;
}

/** Before a start: what the run would wait for until somebody connects a worker or changes a setting; best repair first. */
export function wouldWait(kind: RunKind, settings: RepoSettings, { hands, isolationMin: minimum }: ConnectedHands) {
  const required = atLeast(minimum, settings.isolation.level_required);
  const missing = missingWorkers({ ...needsOf(kind, { settings }), isolation: required }, hands);
  const reasons = missing.map((reason) => ({ reason, hint: workerHint(reason, { required, minimum }) }));
  const [first] = reasons;
  return first === undefined ? null : { ...first, reasons };
}

function workerHint(reason: WorkerReason, levels: HintedLevels): string {
  switch (reason) {
    case "no_worker":
      return "Connect a worker: the workers page of the dashboard shows the commands.";
    case "no_worker_with_cli":
      return "Install a coding CLI on a worker's machine (`triptych worker doctor` lists detected CLIs), or set `team.members` to an agent that a worker has.";
    case "no_worker_with_isolation":
      return isolationHint(levels);
  }
}

function isolationHint({ required, minimum }: HintedLevels): string {
  const { remedy, lower, consequence } = REMEDIES[required];
  if (lower === null || isBelow(lower, minimum)) return `${remedy}.`;
  return `${remedy}, or set \`isolation.level_required\` to \`${lower}\`${consequence}.`;
}

interface Remedy {
  readonly remedy: string;
  readonly lower: IsolationLevel | null;
  readonly consequence: string;
}

const REMEDIES: Readonly<Record<IsolationLevel, Remedy>> = {
  none: { remedy: "Connect a worker: every worker supports level `none`", lower: null, consequence: "" },
  worktree: { remedy: "Start a worker with `--isolation worktree` or higher", lower: null, consequence: "" },
  sandbox: {
    remedy:
      "No connected worker has a sandbox. Install bubblewrap on a worker's machine (`triptych worker doctor` lists what is missing)",
    lower: "worktree",
    consequence: ", where only file permissions protect the machine",
  },
  container: { remedy: "Start a worker with `--image <reference>`", lower: "sandbox", consequence: "" },
};
