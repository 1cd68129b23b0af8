/** What would end a run's wait for a worker, in a sentence to its owner; null where waiting is all that is to be done. */
import type { IsolationLevel, QueueReason } from "@triptych/contracts";
import type { RunOrder } from "./records.ts";

export function queueHintOf(reason: QueueReason | null, { settings }: Pick<RunOrder, "settings">): string | null {
  switch (reason) {
    case "no_worker":
      return "Connect one: `triptych worker`, with the licence key of the account.";
    case "no_worker_with_cli":
      return "`triptych worker doctor` says which agents a worker's machine has; or name one that is there in `team.members`.";
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

const WORKTREE =
  "or let the repo ask for `worktree` in `isolation.level_required`, where file permissions alone hold an agent.";

const FOR_LEVEL: Readonly<Record<IsolationLevel, string>> = {
  none: "Connect a worker: every one has that level.",
  worktree: "Start a worker with another `--isolation` than `none`.",
  sandbox: `\`triptych worker doctor\` says what a worker's machine lacks for a sandbox; ${WORKTREE}`,
  container:
    "Start a worker with `--image`, an image for its runs; or let the repo ask for `sandbox` in `isolation.level_required`.",
};
