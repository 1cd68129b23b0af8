/** One run from request to bundle. The first failing phase ends it. */
import { join } from "node:path";
import { bundle, branchOf, commit } from "../git/deliver.ts";
import type { Team } from "../agents/team-members.ts";
import { RunError } from "../run/run-error.ts";
import type { RunRequest, RunOutcome } from "../run/run-request.ts";
import { reportOf, withoutOutput, type RunSummary } from "../run/run-summary.ts";
import { isDeliverable } from "../run/verdict.ts";
import { inspect } from "./check-policy.ts";
import { checkBaseline, verify } from "./checks.ts";
import { mergeBase, refuseMarkers, type BaseMerge } from "./merge-base.ts";
import type { RunContext } from "./run-context.ts";
import { underLimits, type CommonRunTools } from "./run-limits.ts";
import { setUp } from "./setup.ts";
import { repair, type Repair, type Repaired } from "./team/repair.ts";

export interface RunTools extends CommonRunTools {
  readonly team: Team;
}

/** Rejects only on an internal error; everything else is an outcome. */
export async function runPhases(request: RunRequest, tools: RunTools): Promise<RunOutcome> {
  const summary: RunSummary = { baseline: null, attempts: [], verdict: null };
  const noChange = (code: "ok" | "gate_not_red", message: string): RunOutcome => {
    return { kind: "no_change", code, message, report: reportOf(summary) };
  };
  const ended = await underLimits(request, tools, async (context): Promise<RunOutcome> => {
    await setUp(context);
    const { baseline, judged } = await checkBaseline(context);
    summary.baseline = baseline.run;
    if (judged === "gate_not_red") return noChange("gate_not_red", "the gate already passes");
    if (judged === "baseline_broken") throw new RunError("baseline_broken", "the gate fails before any change");
    const merge = await mergeFor(context, tools);
    // Agents and checks take turns.
    const parts = { team: tools.team, baseline, summary };
    const repaired = merge === null ? await repair(context, parts) : await resolveConflicts(merge, parts);
    if (repaired === null) return noChange("ok", "the agent changed nothing");
    const { treeId, review } = repaired;
    const { diff, paths, warnings } = await inspect(merge?.context ?? context, treeId);
    const merged = merge?.sha ?? null;
    const headSha = await commit(context.git, { request, treeId, atMs: tools.now(), paths, merged });
    const made = await bundle(context.git, request, { path: join(tools.folder, "run.bundle"), merged });
    const branch = branchOf(request);
    return { kind: "delivered", headSha, branch, bundle: made, diff, warnings, review, report: reportOf(summary) };
  });
  return ended.kind === "done" ? ended.value : { ...ended, report: reportOf(summary) };
}

/** Null for a run without a branch to merge. */
async function mergeFor(context: RunContext, tools: RunTools): Promise<BaseMerge | null> {
  const { request, environment, signal } = context;
  const branch = request.followUp?.merge ?? null;
  if (branch === null) return null;
  const { timeoutS, diskMb } = request.limits;
  const bytes = diskMb === null ? null : diskMb * 1024 * 1024;
  const target = { environment, signal, timeoutMs: timeoutS * 1000, bytes };
  const sha = await tools.mirrors.fetchBranch(request.clone, branch, target);
  return mergeBase(context, { branch, sha });
}

/** Without conflicts no agent is needed, unless the checks fail on the merged files. */
async function resolveConflicts(merge: BaseMerge, parts: Repair): Promise<Repaired> {
  const { context, conflicts, treeId } = merge;
  if (conflicts.length === 0) {
    context.reporter.enter({ state: "running", baseline: withoutOutput(parts.summary.baseline), verify: null });
    context.reporter.enter({ state: "verifying", diff: await context.snapshots.size(treeId) });
    const { verdict, attempts } = await verify(context, parts.baseline, { treeId, round: 0 });
    parts.summary.verdict = verdict;
    parts.summary.attempts = attempts;
    if (isDeliverable(verdict)) return { treeId, review: { isApproved: true, comments: [] } };
  }
  const repaired = await repair(context, parts);
  if (repaired === null) throw new RunError("merge_conflict", "the agent changed nothing");
  await refuseMarkers(context, merge, repaired.treeId);
  return repaired;
}
