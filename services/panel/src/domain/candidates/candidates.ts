/** Proposals of scouts, and the actions of people on them. Runs inside a transaction of the account. */
import { globIssue } from "@triptych/change-policy";
import { Proposal, type TeamPatch } from "@triptych/contracts";
import { Value } from "typebox/value";
import type { CandidateRepository } from "./repository.ts";
import { candidateAfter } from "./states.ts";
import { createRun, refuseByPlan, type CreateRunContext, type CreateRunInput } from "../create-run.ts";
import type { Repositories } from "../repositories.ts";
import type { CandidateRecord, Rejection, RunRecord } from "../records.ts";
import { DomainError } from "../domain-error.ts";
import { covers, dependencyOf, earlierFingerprintOf, isOver, rejectReplaced, updatesOf } from "./rejections.ts";
import { defaultPairOf } from "../workers.ts";

export interface Proposed {
  readonly proposed: number;
  /** Candidates that were already proposed and still fail; they are updated. */
  readonly renewed: number;
  /** Candidates that were already proposed and pass now. */
  readonly fixed: number;
  readonly suppressed: number;
  readonly droppedGreen: number;
  /** Proposals that are malformed or exceed the scout's limit. */
  readonly refused: number;
}

type ProposalResult = keyof Proposed;

export interface ApplyContext {
  readonly newId: (prefix: string) => string;
  readonly now: number;
  readonly clean: (text: string) => string;
}

export async function propose(
  repositories: Pick<Repositories, "candidates" | "runs">,
  run: RunRecord,
  report: readonly unknown[],
  context: ApplyContext,
): Promise<Proposed> {
  const tally = { proposed: 0, renewed: 0, fixed: 0, suppressed: 0, droppedGreen: 0, refused: 0 };
  const most = run.spec.settings.explore.max_candidates;
  for (const entry of report) {
    const proposal = Value.Check(Proposal, entry) ? proposalOf(entry, context.clean) : null;
    const isFull = tally.proposed >= most;
    const result =
      proposal === null ? "refused" : await applyProposal(repositories, run, proposal, { ...context, isFull });
    tally[result]++;
  }
  await repositories.candidates.tally(run.repoId, tally);
  return tally;
}

type ReportContext = ApplyContext & { readonly isFull: boolean };

async function applyProposal(
  repositories: Pick<Repositories, "candidates" | "runs">,
  run: RunRecord,
  proposal: Proposal,
  { newId, now, isFull }: ReportContext,
): Promise<ProposalResult> {
  const { candidates } = repositories;
  const isRed = proposal.gate_proof.exit_code !== 0;
  const existing = await findExisting(candidates, run.repoId, proposal);
  const isSuppressed =
    (await isRejected(candidates, { repoId: run.repoId, existing, proposal, now })) ||
    (existing !== null && (await isUndecided(repositories, run, existing)));
  const result = isSuppressed ? "suppressed" : resultOfProposal(existing, isRed);
  if (isFull && result === "proposed") return "refused";
  const about = {
    proposal,
    exploreRunId: run.id,
    baseSha: run.facts.base?.sha ?? null,
    isStale: false,
  };
  if (existing === null && result === "proposed")
    await candidates.add({
      id: newId("cnd"),
      repoId: run.repoId,
      state: "proposed",
      ...about,
      attempts: 0,
      runId: null,
      outcome: null,
      reject: null,
      was: { selected: false, delivered: false },
      createdAt: now,
    });
  if (result === "proposed" || result === "renewed") await rejectReplaced(candidates, run.repoId, { proposal, now });
  if (existing !== null && result === "fixed")
    await candidates.save({ ...existing, state: "done", outcome: "already_fixed" });
  else if (existing !== null && (result === "proposed" || (result === "renewed" && existing.state === "proposed")))
    await candidates.save({ ...existing, ...about, state: "proposed", outcome: null, reject: null });
  return result;
}

/** The row that a proposal updates: same fingerprint, else same package if proposed or from version 0.1. */
async function findExisting(
  candidates: CandidateRepository,
  repoId: string,
  proposal: Proposal,
): Promise<CandidateRecord | null> {
  const existing = await candidates.withFingerprint(repoId, proposal.fingerprint);
  const dependency = dependencyOf(proposal);
  if (existing !== null || dependency === null) return existing;
  const proposed = await updatesOf(candidates, repoId, "proposed");
  const same = proposed.find(({ proposal: other }) => {
    const { name, isGroup } = dependencyOf(other) ?? {};
    return name === dependency.name && isGroup === dependency.isGroup;
  });
  return same ?? (await candidates.withFingerprint(repoId, earlierFingerprintOf(dependency)));
}

interface DecisionContext {
  readonly repoId: string;
  readonly existing: CandidateRecord | null;
  readonly proposal: Proposal;
  readonly now: number;
}

async function isRejected(
  candidates: CandidateRepository,
  { repoId, existing, proposal, now }: DecisionContext,
): Promise<boolean> {
  if (existing !== null && covers(existing, proposal, now)) return true;
  if (dependencyOf(proposal) === null) return false;
  return (await updatesOf(candidates, repoId, "rejected")).some((candidate) => covers(candidate, proposal, now));
}

/**
 * Its change is not in the base yet: the pull request is open, or the branch was pushed without one and the base has not moved. A failing
 * gate is then expected.
 */
async function isUndecided(
  { runs }: Pick<Repositories, "runs">,
  scout: RunRecord,
  existing: CandidateRecord,
): Promise<boolean> {
  if (existing.state !== "done" || existing.outcome !== "delivered" || existing.runId === null) return false;
  const delivered = await runs.find(existing.runId);
  if (delivered === null) return false;
  const { pr, base } = delivered.facts;
  return pr === null ? base !== null && base.sha === scout.facts.base?.sha : pr.state === "open";
}

function resultOfProposal(existing: CandidateRecord | null, isRed: boolean): ProposalResult {
  if (existing === null) return isRed ? "proposed" : "droppedGreen";
  if (existing.state === "rejected") return isRed ? "proposed" : "droppedGreen";
  if (candidateAfter(existing.state, "red_again") !== null) return isRed ? "proposed" : "suppressed";
  return isRed || existing.state === "selected" ? "renewed" : "fixed";
}

/**
 * Validates and redacts a proposal; its gate must fail at the base, whatever the scout reports. Null if a command contains a secret
 * (redacting it would change the gate), or a glob is invalid.
 */
function proposalOf(proposal: Proposal, clean: (text: string) => string): Proposal | null {
  const { category, score, effort, risk, fingerprint, source, mendable } = proposal;
  const { cmd, timeout_s, frozen_paths } = proposal.gate;
  const { exit_code, duration_ms, output } = proposal.gate_proof;
  const run = [cmd, ...(frozen_paths ?? []), ...proposal.evidence.map(({ path }) => path)].join("\n");
  if (clean(run) !== run || frozen_paths?.some((glob) => globIssue(glob) !== null) === true) return null;
  const clipped = (text: string, most: number) => clean(text).slice(0, most);
  return {
    title: clipped(proposal.title, 120),
    focus: clipped(proposal.focus, 4_000),
    rationale: clipped(proposal.rationale, 2_000),
    category,
    score,
    effort,
    risk,
    fingerprint,
    source,
    mendable,
    gate: {
      cmd,
      expect: "exit_zero",
      baseline: "must_fail",
      ...(timeout_s !== undefined && { timeout_s }),
      ...(frozen_paths !== undefined && { frozen_paths }),
    },
    gate_proof: { exit_code, duration_ms, output: clipped(output, 16 * 1024) },
    evidence: proposal.evidence.map(({ path, line, sha, excerpt }) => ({
      path,
      line,
      sha,
      excerpt: clipped(excerpt, 2_000),
    })),
  };
}

export interface SelectCandidateInput {
  readonly focus?: string | undefined;
  readonly team?: TeamPatch | undefined;
  readonly priority?: number | undefined;
  readonly trigger: CreateRunInput["trigger"];
}

/** Creates the candidate's run with its current focus and gate, and marks it as selected. */
export async function selectCandidate(
  repositories: Repositories,
  candidate: CandidateRecord,
  input: SelectCandidateInput,
  making: CreateRunContext,
): Promise<RunRecord> {
  await refuseByPlan(repositories, "maintain", making);
  refuseUnlessProposed(candidate);
  if (candidate.isStale) throw new DomainError("candidate_stale", { members: { candidate_id: candidate.id } });
  const { focus, gate, title, rationale, evidence } = candidate.proposal;
  const trigger = { ...input.trigger, candidateId: candidate.id };
  const team = (await isForMend(repositories, candidate, { input, making })) ? MEND : input.team;
  const about = { gate, focus: input.focus ?? focus, mayAddProtected: isAboutProtected(candidate) };
  const runInput = {
    kind: "maintain",
    ...input,
    ...about,
    team,
    trigger,
    candidate: { title, rationale, evidence },
  } as const;
  const run = await createRun(repositories, runInput, making);
  const was = { ...candidate.was, selected: true };
  await repositories.candidates.save({ ...candidate, state: "selected", runId: run.id, was });
  return run;
}

const MEND: TeamPatch = { preset: "solo", members: [{ role: "coder", cli: "mend" }] };

interface SelectionContext {
  readonly input: SelectCandidateInput;
  readonly making: CreateRunContext;
}

/** Mechanical repairs run without a model if the repo sets no team and no coding agent is connected. */
async function isForMend(
  { workers }: Repositories,
  { proposal }: CandidateRecord,
  { input, making }: SelectionContext,
): Promise<boolean> {
  const isNamed = input.team !== undefined || making.repo.settings.team.members.length > 0;
  if (!proposal.mendable || isNamed) return false;
  const connected = new Set((await workers.connections()).map(({ workerId }) => workerId));
  const present = (await workers.list()).filter(({ id }) => connected.has(id));
  return present.every(({ agents }) => defaultPairOf(agents) === null);
}

/** A finding about missing check definitions may add files at protected paths. */
function isAboutProtected({ proposal: { source, gate } }: CandidateRecord): boolean {
  return source === "scan" && gate.cmd === "triptych gate has ci";
}

function refuseUnlessProposed({ id, state, runId }: CandidateRecord): void {
  const members = { candidate_id: id, run_id: runId, current_state: state };
  if (state === "rejected") throw new DomainError("candidate_rejected", { members });
  if (candidateAfter(state, "selected") === null) throw new DomainError("candidate_not_proposed", { members });
}

export interface RejectOptions {
  readonly reason: string | null;
  /** Default for a dependency update: its major version. */
  readonly scope?: Rejection["scope"] | undefined;
  readonly until?: number | null;
  readonly now: number;
}

/** Idempotent: the first reason stays. After a snooze ends, the candidate can be rejected again. */
export async function rejectCandidate(
  { candidates }: Pick<Repositories, "candidates">,
  candidate: CandidateRecord,
  { reason, scope, until = null, now }: RejectOptions,
): Promise<CandidateRecord> {
  const { id, runId, state, reject } = candidate;
  if (state === "rejected" && (reject === null || !isOver(reject, now))) return candidate;
  if (state !== "rejected" && candidateAfter(state, "rejected") === null)
    throw new DomainError("candidate_not_proposed", {
      members: { candidate_id: id, run_id: runId, current_state: state },
    });
  const byDefault = dependencyOf(candidate.proposal) === null ? "this" : "major";
  const rejection: Rejection = { reason, at: now, scope: scope ?? byDefault, until };
  const rejected: CandidateRecord = { ...candidate, state: "rejected", reject: rejection };
  await candidates.save(rejected);
  return rejected;
}
