/** What would end a run's wait for a worker, in a sentence to its owner; null where waiting is all that is to be done. */
import type { IsolationLevel, QueueReason, RepoSettings, RunKind } from "@triptych/contracts";
import { missingWorker, needsOf, type Hand } from "./queue.ts";

type HintedSettings = Pick<RepoSettings, "isolation">;

export function queueHintOf(
  reason: QueueReason | null,
  { settings }: { readonly settings: HintedSettings },
): string | null {
  switch (reason) {
    case "no_worker":
      return "Connect a worker: the workers page of the dashboard shows the commands.";
    case "no_worker_with_cli":
      return "Install a coding CLI on the machine of a worker (`triptych worker doctor` lists those it finds), or name an agent that a worker has in `team.members`.";
    case "no_worker_with_isolation":
      return FOR_LEVEL[settings.isolation.level_required];
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

/** Before a start: what it would wait for until somebody connects a worker or changes a setting. */
export function wouldWait(kind: RunKind, settings: RepoSettings, hands: readonly Hand[]) {
  const reason = missingWorker(needsOf(kind, { settings }), hands);
  const hint = queueHintOf(reason, { settings });
  return reason === null || hint === null ? null : { reason, hint };
}

const FOR_LEVEL: Readonly<Record<IsolationLevel, string>> = {
  none: "Connect a worker: every worker has level `none`.",
  worktree: "Start a worker with `--isolation worktree` or higher.",
  sandbox:
    "No connected worker has a sandbox. Install bubblewrap on the machine of a worker (`triptych worker doctor` says what is missing), or set `isolation.level_required` to `worktree`, where only file permissions protect the machine.",
  container: "Start a worker with `--image <reference>`, or set `isolation.level_required` to `sandbox`.",
};
