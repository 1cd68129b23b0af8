/** One run from request to bundle. The first failing phase ends it. */
import { join } from "node:path";
import { bundle, branchOf, commit } from "../git/deliver.ts";
import type { Team } from "../agents/team-members.ts";
import { RunError } from "../run/run-error.ts";
import type { RunRequest, RunOutcome } from "../run/run-request.ts";
import { reportOf, type RunSummary } from "../run/run-summary.ts";
import { inspect } from "./check-policy.ts";
import { checkBaseline } from "./checks.ts";
import { underLimits, type CommonRunTools } from "./run-limits.ts";
import { setUp } from "./setup.ts";
import { repair } from "./team/repair.ts";

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
    // Agents and checks take turns.
    const repaired = await repair(context, { team: tools.team, baseline, summary });
    if (repaired === null) return noChange("ok", "the agent changed nothing");
    const { treeId, review } = repaired;
    const { diff, paths, warnings } = await inspect(context, treeId);
    const headSha = await commit(context.git, { request, treeId, atMs: tools.now(), paths });
    const made = await bundle(context.git, request, join(tools.folder, "run.bundle"));
    const branch = branchOf(request);
    return { kind: "delivered", headSha, branch, bundle: made, diff, warnings, review, report: reportOf(summary) };
  });
  return ended.kind === "done" ? ended.value : { ...ended, report: reportOf(summary) };
}
