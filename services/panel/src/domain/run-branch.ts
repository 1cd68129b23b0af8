/** Names of the branches of runs. */
import type { RunRecord } from "./records.ts";

/** Branch in the bundle of a worker, and of the pull request that the run opens. */
export function branchOf(runId: string): string {
  return `maint/${runId}`;
}

/** Branch that a run pushes to: a follow-up continues that of its pull request. */
export function targetBranchOf({ id, spec }: Pick<RunRecord, "id" | "spec">): string {
  return spec.followUp?.branch ?? branchOf(id);
}
