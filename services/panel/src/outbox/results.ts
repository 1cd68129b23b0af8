/** Records an effect's result and its consequence for the run in one commit. A process that lost the lease writes nothing. */
import { EFFECT_ATTEMPTS_MAX, waitAfter, WATCH_MS, type EffectRecord, type EffectRefusal } from "../domain/effects.ts";
import type { RunPr } from "@triptych/contracts";
import { transitionRun } from "../domain/create-run.ts";
import type { RunRecord } from "../domain/records.ts";
import type { Repositories } from "../domain/repositories.ts";

interface EffectResult {
  readonly effect: EffectRecord;
  readonly refusal: EffectRefusal | null;
  readonly at: number;
}

export async function isOurs({ effects }: Repositories, { runId, kind, leasedBy }: EffectRecord): Promise<boolean> {
  return (await effects.find(runId, kind))?.leasedBy === leasedBy;
}

interface SettlingPush extends EffectResult {
  /** Signs the statement of the run, in the commit that records its push. */
  readonly sign: (repositories: Repositories, run: RunRecord) => Promise<string>;
}

export async function settlePush(
  repositories: Repositories,
  { effect, refusal, at, sign }: SettlingPush,
): Promise<void> {
  const run = await repositories.runs.find(effect.runId);
  if (run === null || !(await isOurs(repositories, effect))) return;
  const released = { ...effect, leasedBy: null, leaseUntil: 0, outcome: { at, refusal } };
  if (run.state !== "pushing") return repositories.effects.save({ ...released, state: "done" });
  if (refusal === null) {
    const pushed = await transitionRun(repositories, run, "push_confirmed", { at, pushedAt: at });
    await adoptPr(repositories, pushed, at);
    await repositories.statements.add({ runId: run.id, envelope: await sign(repositories, run), at });
    return repositories.effects.save({ ...released, state: "done" });
  }
  if (!refusal.isFinal && effect.attempts < EFFECT_ATTEMPTS_MAX)
    return repositories.effects.save({
      ...released,
      nextAt: Math.max(refusal.retryAt ?? 0, at + waitAfter(effect.attempts)),
    });
  const code = refusal.code === "branch_moved" ? "branch_moved" : "push_refused";
  await transitionRun(repositories, run, "push_refused", { at, result: { code, message: refusal.detail } });
  return repositories.effects.save({ ...released, state: "refused" });
}

/** A follow-up has the pull request of its parent, and never opens one. */
async function adoptPr(repositories: Repositories, run: RunRecord, at: number): Promise<void> {
  const { followUp } = run.spec;
  const pr = followUp === undefined ? null : (await repositories.runs.find(followUp.parentRunId))?.facts.pr;
  if (pr != null) await transitionRun(repositories, run, "pr_found", { at, facts: { pr: { ...pr, adopted: true } } });
}

interface SettlingPr extends EffectResult {
  readonly pr: RunPr | null;
  /** Requested by a person: if it fails, a resting effect rests again without a warning. */
  readonly isManual: boolean;
}

/** Refusals that need a person, so the automatic effect does not retry them. */
const PR_CODES: readonly string[] = [
  "pr_closed",
  "policy_forbids",
  "duplicate_patch",
  "branch_gone",
  "branch_moved",
  "forge_error",
];

export async function settlePr(
  repositories: Repositories,
  { effect, refusal, pr, at, isManual }: SettlingPr,
): Promise<void> {
  const run = await repositories.runs.find(effect.runId);
  if (run === null || !(await isOurs(repositories, effect))) return;
  const released = { ...effect, leasedBy: null, leaseUntil: 0, outcome: { at, refusal } };
  if (pr !== null) {
    const warnings = run.facts.warnings.filter((code) => !PR_CODES.includes(code));
    if (run.state === "pushed") await transitionRun(repositories, run, "pr_found", { at, facts: { pr, warnings } });
    return repositories.effects.save({ ...released, state: "watching", nextAt: at + WATCH_MS });
  }
  if (run.state !== "pushed" || refusal === null) return repositories.effects.save({ ...released, state: "done" });
  const isOver = refusal.isFinal || effect.attempts >= EFFECT_ATTEMPTS_MAX || !run.wantsPr;
  const nextAt = Math.max(refusal.retryAt ?? 0, at + waitAfter(effect.attempts));
  await repositories.effects.save({ ...released, state: isOver ? "refused" : "waiting", nextAt });
  if (isManual || run.facts.warnings.includes(refusal.code)) return;
  await repositories.runs.learn({ ...run, facts: { ...run.facts, warnings: [...run.facts.warnings, refusal.code] } });
}

interface PrObservation {
  readonly effect: EffectRecord;
  readonly pr: RunPr | null;
  readonly at: number;
}

/** Updates an open pull request; null if the forge did not report its state. */
export async function settleWatch(repositories: Repositories, { effect, pr, at }: PrObservation): Promise<void> {
  const run = await repositories.runs.find(effect.runId);
  if (run === null || !(await isOurs(repositories, effect))) return;
  const isOver = pr !== null && pr.state !== "open";
  const released = { ...effect, attempts: 0, leasedBy: null, leaseUntil: 0, nextAt: at + WATCH_MS };
  await repositories.effects.save({ ...released, state: isOver ? "done" : "watching" });
  const before = run.facts.pr;
  if (pr !== null && (before?.state !== pr.state || before.draft !== pr.draft))
    await repositories.runs.learn({ ...run, facts: { ...run.facts, pr, ...(isOver && { prEndedAt: at }) } });
}
