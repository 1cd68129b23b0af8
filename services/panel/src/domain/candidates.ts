/** What scouts propose, and what people make of it. Called inside a change of the account. */
import { globIssue } from "@triptych/change-policy";
import { Proposal, type TeamPatch } from "@triptych/contracts";
import { Value } from "typebox/value";
import type { CandidateBook } from "./candidate-repository.ts";
import { candidateAfter } from "./candidate-states.ts";
import { makeRun, refuseByPlan, type Making, type RunWish } from "./create-run.ts";
import type { Books } from "./repositories.ts";
import type { CandidateRecord, Rejection, RunRecord } from "./records.ts";
import { Refusal } from "./domain-error.ts";
import { covers, dependencyOf, earlierFingerprintOf, isOver } from "./rejections.ts";
import { defaultPairOf } from "./workers.ts";

/** What became of each member of a scout's report. */
export interface Proposed {
  /** New, or proposed again. */
  readonly proposed: number;
  /** Proposed before and red still: kept up to date. */
  readonly renewed: number;
  /** Proposed before, and green now. */
  readonly fixed: number;
  readonly suppressed: number;
  readonly droppedGreen: number;
  /** Not in the form of a proposal, or more than the scout was asked for. */
  readonly refused: number;
}

type Fate = keyof Proposed;

export interface Hearing {
  readonly newId: (prefix: string) => string;
  readonly now: number;
  /** The text without secrets. */
  readonly clean: (text: string) => string;
}

/** Takes the report of a scout's run. A report is data of a foreign program: what has no form is counted, never thrown. */
export async function propose(
  books: Pick<Books, "candidates" | "runs">,
  run: RunRecord,
  report: readonly unknown[],
  hearing: Hearing,
): Promise<Proposed> {
  const tally = { proposed: 0, renewed: 0, fixed: 0, suppressed: 0, droppedGreen: 0, refused: 0 };
  const most = run.order.settings.explore.max_candidates;
  for (const said of report) {
    const proposal = Value.Check(Proposal, said) ? proposalOf(said, hearing.clean) : null;
    const isFull = tally.proposed >= most;
    const fate = proposal === null ? "refused" : await hear(books, run, proposal, { ...hearing, isFull });
    tally[fate]++;
  }
  await books.candidates.tally(run.repoId, tally);
  return tally;
}

type Listening = Hearing & { readonly isFull: boolean };

async function hear(
  books: Pick<Books, "candidates" | "runs">,
  run: RunRecord,
  proposal: Proposal,
  { newId, now, isFull }: Listening,
): Promise<Fate> {
  const { candidates } = books;
  const isRed = proposal.gate_proof.exit_code !== 0;
  const known = await sameWork(candidates, run.repoId, proposal);
  const isHeldBack =
    (await isRejected(candidates, { repoId: run.repoId, known, proposal, now })) ||
    (known !== null && (await isUndecided(books, run, known)));
  const fate = isHeldBack ? "suppressed" : fateOf(known, isRed);
  if (isFull && fate === "proposed") return "refused";
  const about = {
    proposal,
    exploreRunId: run.id,
    baseSha: run.facts.base?.sha ?? null,
    isStale: false,
  };
  if (known === null && fate === "proposed")
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
  else if (known !== null && fate === "fixed")
    await candidates.save({ ...known, state: "done", outcome: "already_fixed" });
  else if (known !== null && (fate === "proposed" || (fate === "renewed" && known.state === "proposed")))
    await candidates.save({ ...known, ...about, state: "proposed", outcome: null, reject: null });
  return fate;
}

/** The row that a proposal renews: that of its fingerprint, else of the same package, where it is proposed or from version 0.1. */
async function sameWork(book: CandidateBook, repoId: string, proposal: Proposal): Promise<CandidateRecord | null> {
  const known = await book.withFingerprint(repoId, proposal.fingerprint);
  const dependency = dependencyOf(proposal);
  if (known !== null || dependency === null) return known;
  const proposed = await updatesOf(book, repoId, "proposed");
  const same = proposed.find((one) => dependencyOf(one.proposal)?.name === dependency.name);
  return same ?? (await book.withFingerprint(repoId, earlierFingerprintOf(dependency)));
}

interface Deciding {
  readonly repoId: string;
  readonly known: CandidateRecord | null;
  readonly proposal: Proposal;
  readonly now: number;
}

async function isRejected(book: CandidateBook, { repoId, known, proposal, now }: Deciding): Promise<boolean> {
  if (known !== null && covers(known, proposal, now)) return true;
  if (dependencyOf(proposal) === null) return false;
  return (await updatesOf(book, repoId, "rejected")).some((one) => covers(one, proposal, now));
}

/** More than a scan reports in years. */
const UPDATES_MAX = 1_000;

function updatesOf(book: CandidateBook, repoId: string, state: "proposed" | "rejected") {
  return book.list(repoId, { state, category: "deps" }, { below: null, limit: UPDATES_MAX });
}

/**
 * What was delivered for it is not in the base yet: its pull request is open, or it was pushed where there are none and the base has not
 * moved since. Red is then what it was before, and not red again.
 */
async function isUndecided({ runs }: Pick<Books, "runs">, scout: RunRecord, known: CandidateRecord): Promise<boolean> {
  if (known.state !== "done" || known.outcome !== "delivered" || known.runId === null) return false;
  const delivered = await runs.find(known.runId);
  if (delivered === null) return false;
  const { pr, base } = delivered.facts;
  return pr === null ? base !== null && base.sha === scout.facts.base?.sha : pr.state === "open";
}

/** The rows of section 7.1 that a scout decides, where no rejection holds the proposal back. */
function fateOf(known: CandidateRecord | null, isRed: boolean): Fate {
  if (known === null) return isRed ? "proposed" : "droppedGreen";
  if (known.state === "rejected") return isRed ? "proposed" : "droppedGreen";
  if (candidateAfter(known.state, "red_again") !== null) return isRed ? "proposed" : "suppressed";
  return isRed || known.state === "selected" ? "renewed" : "fixed";
}

/**
 * What we know of a proposal and nothing else, without secrets; its gate must fail at the base, whatever the scout says of it. Null where
 * a secret stands in what would be run (another text would be another gate), or a glob of the gate cannot be read.
 */
function proposalOf(said: Proposal, clean: (text: string) => string): Proposal | null {
  const { category, score, effort, risk, fingerprint, source, mendable } = said;
  const { cmd, timeout_s, frozen_paths } = said.gate;
  const { exit_code, duration_ms, output } = said.gate_proof;
  const run = [cmd, ...(frozen_paths ?? []), ...said.evidence.map(({ path }) => path)].join("\n");
  if (clean(run) !== run || frozen_paths?.some((glob) => globIssue(glob) !== null) === true) return null;
  const shown = (text: string, most: number) => clean(text).slice(0, most);
  return {
    title: shown(said.title, 120),
    focus: shown(said.focus, 4_000),
    rationale: shown(said.rationale, 2_000),
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
    gate_proof: { exit_code, duration_ms, output: shown(output, 16 * 1024) },
    evidence: said.evidence.map(({ path, line, sha, excerpt }) => ({
      path,
      line,
      sha,
      excerpt: shown(excerpt, 2_000),
    })),
  };
}

export interface SelectWish {
  /** Its own when left out. */
  readonly focus?: string | undefined;
  readonly team?: TeamPatch | undefined;
  readonly priority?: number | undefined;
  readonly trigger: RunWish["trigger"];
}

/** Makes the run of a candidate, with its focus and gate as they are now, and has the candidate wait for it. */
export async function selectCandidate(
  books: Books,
  candidate: CandidateRecord,
  wish: SelectWish,
  making: Making,
): Promise<RunRecord> {
  await refuseByPlan(books, "maintain", making);
  refuseUnlessProposed(candidate);
  if (candidate.isStale) throw new Refusal("candidate_stale", { members: { candidate_id: candidate.id } });
  const { focus, gate, title, rationale, evidence } = candidate.proposal;
  const trigger = { ...wish.trigger, candidateId: candidate.id };
  const team = (await isForMend(books, candidate, { wish, making })) ? MEND : wish.team;
  const about = { gate, focus: wish.focus ?? focus, mayAddProtected: isAboutProtected(candidate) };
  const order = {
    kind: "maintain",
    ...wish,
    ...about,
    team,
    trigger,
    candidate: { title, rationale, evidence },
  } as const;
  const run = await makeRun(books, order, making);
  const was = { ...candidate.was, selected: true };
  await books.candidates.save({ ...candidate, state: "selected", runId: run.id, was });
  return run;
}

const MEND: TeamPatch = { preset: "solo", members: [{ role: "coder", cli: "mend" }] };

interface Choosing {
  readonly wish: SelectWish;
  readonly making: Making;
}

/** A repair that needs no model is left to a machine where nobody has named a team and no coding agent is connected. */
async function isForMend(
  { workers }: Books,
  { proposal }: CandidateRecord,
  { wish, making }: Choosing,
): Promise<boolean> {
  const isNamed = wish.team !== undefined || making.repo.settings.team.members.length > 0;
  if (!proposal.mendable || isNamed) return false;
  const connected = new Set((await workers.connections()).map(({ workerId }) => workerId));
  const present = (await workers.list()).filter(({ id }) => connected.has(id));
  return present.every(({ agents }) => defaultPairOf(agents) === null);
}

/** New files may stand where only people change files: the definition of the checks themselves, found missing by the scan. */
function isAboutProtected({ proposal: { source, gate } }: CandidateRecord): boolean {
  return source === "scan" && gate.cmd === "triptych gate has ci";
}

function refuseUnlessProposed({ id, state, runId }: CandidateRecord): void {
  const members = { candidate_id: id, run_id: runId, current_state: state };
  if (state === "rejected") throw new Refusal("candidate_rejected", { members });
  if (candidateAfter(state, "selected") === null) throw new Refusal("candidate_not_proposed", { members });
}

export interface RejectOptions {
  readonly reason: string | null;
  /** By default an update of a dependency is rejected in its major version. */
  readonly scope?: Rejection["scope"] | undefined;
  readonly until?: number | null;
  readonly now: number;
}

/** Rejecting twice is rejecting once: the first reason stays. A snooze that is over can be rejected anew. */
export async function rejectCandidate(
  { candidates }: Pick<Books, "candidates">,
  candidate: CandidateRecord,
  { reason, scope, until = null, now }: RejectOptions,
): Promise<CandidateRecord> {
  const { id, runId, state, reject } = candidate;
  if (state === "rejected" && (reject === null || !isOver(reject, now))) return candidate;
  if (state !== "rejected" && candidateAfter(state, "rejected") === null)
    throw new Refusal("candidate_not_proposed", { members: { candidate_id: id, run_id: runId, current_state: state } });
  const byDefault = dependencyOf(candidate.proposal) === null ? "this" : "major";
  const rejection: Rejection = { reason, at: now, scope: scope ?? byDefault, until };
  const rejected: CandidateRecord = { ...candidate, state: "rejected", reject: rejection };
  await candidates.save(rejected);
  return rejected;
}
