/**
 * The rounds of a team: plan once, code, check, then review. Failed checks and requested changes each use up a round. This file decides the
 * order, never a model.
 */
import { createMatcher } from "@triptych/change-policy";
import { decodePath } from "../../git/snapshots.ts";
import type { Baseline } from "../checks.ts";
import { verify } from "../checks.ts";
import type { RunContext } from "../run-context.ts";
import { RunError } from "../../run/run-error.ts";
import { reportOf, withoutOutput, type RunSummary, type CheckedRun } from "../../run/run-summary.ts";
import type { ReviewComment, ReviewOutcome } from "../../run/run-request.ts";
import { isDeliverable, type Verdict } from "../../run/verdict.ts";
import { runAgentTurn } from "./agent-turns.ts";
import { coderPrompt } from "./prompts.ts";
import { plan, review, toRunError } from "./read.ts";
import type { TeamMember, Team } from "../../agents/team-members.ts";

export interface Repair {
  readonly team: Team;
  readonly baseline: Baseline;
  readonly summary: RunSummary;
}

export interface Repaired {
  readonly treeId: string;
  readonly review: ReviewOutcome;
}

/** Returns the delivery, null without changes; throws when the checks still fail. */
export async function repair(context: RunContext, { team, baseline, summary }: Repair): Promise<Repaired | null> {
  const { request, reporter, snapshots } = context;
  const isFrozen = isFrozenBy(request.gate?.frozenPaths ?? []);
  const { focus, memories } = request;
  const paths = new Set<string>();
  sayMissing(context, team);
  let planned: string | null = null;
  let red: CheckedRun | null = null;
  let comments: readonly ReviewComment[] = [];
  for (let number = 1; ; number++) {
    const verified = number === 1 ? null : reportOf(summary);
    reporter.enter({ state: "running", baseline: withoutOutput(summary.baseline), verify: verified });
    if (number === 1 && team.planner !== null) planned = await plan(context, team.planner);
    const { conventions } = context;
    const evidence = request.followUp?.evidence ?? [];
    const verifyCommand = request.verify.command;
    const parts = { focus, memories, verifyCommand, plan: planned, comments, conventions, evidence };
    const prompt = coderPrompt({ ...parts, redOutput: red?.output ?? null });
    const coder = team.coders[(number - 1) % team.coders.length] ?? team.coders[0];
    // A single coder gets the run's task; several also learn who does what.
    if (!isAlone(team)) reporter.say({ from: { role: "worker" }, kind: "task", text: prompt, round: number });
    const worked = await work(context, coder, { round: number, prompt });
    for (const path of worked.paths) if (!isFrozen(path)) paths.add(path);
    const treeId = await snapshots.deliver([...paths], worked.treeId);
    const diff = await snapshots.size(treeId);
    if (diff.files === 0) return null;
    reporter.enter({ state: "verifying", diff });
    const { verdict, attempts } = await verify(context, baseline, { treeId, round: number });
    summary.verdict = verdict;
    summary.attempts = [...summary.attempts, ...attempts];
    reporter.say({ from: { role: "worker" }, kind: "verdict", text: verdict, data: { verdict }, round: number });
    const isLast = number >= request.maxRounds || team.coders.every(({ agent }) => agent.isDeterministic === true);
    if (!isDeliverable(verdict)) {
      if (isLast) throw stillRed(verdict);
      red = attempts.at(-1) ?? null;
      comments = [];
      continue;
    }
    const outcome = await judge(context, team, {
      treeId,
      verdict,
      round: number,
      plan: planned,
      last: attempts.at(-1),
    });
    if (outcome.isApproved || isLast || team.reviewers.length === 0) return { treeId, review: outcome };
    red = null;
    comments = outcome.comments;
  }
}

interface AgentChange {
  readonly paths: readonly string[];
  /** The tree as the agent left it. */
  readonly treeId: string;
}

/** If the agent left changes, any end is accepted; otherwise its error is reported. */
async function work(
  context: RunContext,
  teamMember: TeamMember,
  input: { readonly round: number; readonly prompt: string },
): Promise<AgentChange> {
  const { snapshots } = context;
  const before = await snapshots.take();
  const { end } = await runAgentTurn(context, teamMember, input);
  const treeId = await snapshots.take();
  if (treeId === before && end.error !== null) throw toRunError(end.error);
  return { paths: await snapshots.between(before, treeId), treeId };
}

interface ReviewRequest {
  readonly treeId: string;
  readonly verdict: Verdict;
  readonly round: number;
  readonly plan: string | null;
  readonly last: CheckedRun | undefined;
}

/** Without a review, the change is approved only if no reviewer was required. */
async function judge(
  context: RunContext,
  team: Team,
  { treeId, verdict, round, plan, last }: ReviewRequest,
): Promise<ReviewOutcome> {
  if (team.reviewers.length === 0) return { isApproved: !team.missing.includes("reviewer"), comments: [] };
  const { focus } = context.request;
  const diff = await context.git.run([...DIFF, context.comparedWith, treeId]);
  const truncated = truncate(diff.toString("utf8"));
  const { conventions } = context;
  const output = last?.output ?? "";
  return review(context, team.reviewers, { focus, plan, diff: truncated, verdict, output, round, conventions });
}

const DIFF = ["diff-tree", "-p", "-r", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"];
const DIFF_CHARACTERS = 200_000;

function truncate(diff: string): string {
  return diff.length <= DIFF_CHARACTERS ? diff : `${diff.slice(0, DIFF_CHARACTERS)}\n[truncated]`;
}

function isAlone({ planner, coders, reviewers }: Team): boolean {
  return planner === null && coders.length === 1 && reviewers.length === 0;
}

function sayMissing({ reporter }: RunContext, { missing }: Team): void {
  if (missing.length === 0) return;
  const text = `There is no ${missing.join(" and no ")} on this worker; the team continues without.`;
  reporter.say({ from: { role: "worker" }, kind: "log", text, round: 0 });
}

function stillRed(verdict: Verdict): RunError {
  return verdict === "baseline_broken"
    ? new RunError("baseline_broken", "the checks failed before the agent and still fail after it")
    : new RunError("verify_failed", "the checks still fail after the last round");
}

/** A gate relies on these paths, because an agent must not pass a failing test by changing it. */
function isFrozenBy(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false;
  const matches = createMatcher(globs);
  return (path) => matches(decodePath(path));
}
