/** What scouts propose, and what people make of it. Called inside a change of the account. */
import { Proposal, type TeamPatch } from "@triptych/contracts";
import { Value } from "typebox/value";
import { candidateAfter } from "./candidate-states.ts";
import { makeRun, type Making, type RunWish } from "./make-run.ts";
import type { Books } from "./panel-store.ts";
import type { CandidateRecord, RunRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";

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
}

/** Takes the report of a scout's run. A report is data of a foreign program: what has no form is counted, never thrown. */
export async function propose(
  books: Pick<Books, "candidates">,
  run: RunRecord,
  report: readonly unknown[],
  hearing: Hearing,
): Promise<Proposed> {
  const tally = { proposed: 0, renewed: 0, fixed: 0, suppressed: 0, droppedGreen: 0, refused: 0 };
  const most = run.order.settings.explore.max_candidates;
  for (const said of report) {
    const fate = Value.Check(Proposal, said)
      ? await hear(books, run, said, { ...hearing, isFull: tally.proposed >= most })
      : "refused";
    tally[fate]++;
  }
  await books.candidates.tally(run.repoId, tally);
  return tally;
}

type Listening = Hearing & { readonly isFull: boolean };

async function hear(
  { candidates }: Pick<Books, "candidates">,
  run: RunRecord,
  said: Proposal,
  { newId, now, isFull }: Listening,
): Promise<Fate> {
  const isRed = said.gate_proof.exit_code !== 0;
  const known = await candidates.withFingerprint(run.repoId, said.fingerprint);
  const fate = fateOf(known, isRed);
  if (isFull && fate === "proposed") return "refused";
  const about = {
    proposal: proposalOf(said),
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
    await candidates.save({ ...known, ...about, state: "proposed", outcome: null });
  return fate;
}

/** The rows of section 7.1 that a scout decides. */
function fateOf(known: CandidateRecord | null, isRed: boolean): Fate {
  if (known === null) return isRed ? "proposed" : "droppedGreen";
  if (known.state === "rejected") return "suppressed";
  if (candidateAfter(known.state, "red_again") !== null) return isRed ? "proposed" : "suppressed";
  return isRed || known.state === "selected" ? "renewed" : "fixed";
}

/** What we know of a proposal and nothing else; its gate must fail at the base, whatever the scout says of it. */
function proposalOf(said: Proposal): Proposal {
  const { title, focus, category, rationale, score, effort, risk, fingerprint, source, mendable } = said;
  const { cmd, timeout_s, frozen_paths } = said.gate;
  const { exit_code, duration_ms, output } = said.gate_proof;
  const about = { title, focus, category, rationale, score, effort, risk, fingerprint, source, mendable };
  return {
    ...about,
    gate: {
      cmd,
      expect: "exit_zero",
      baseline: "must_fail",
      ...(timeout_s !== undefined && { timeout_s }),
      ...(frozen_paths !== undefined && { frozen_paths }),
    },
    gate_proof: { exit_code, duration_ms, output },
    evidence: said.evidence.map(({ path, line, sha, excerpt }) => ({ path, line, sha, excerpt })),
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
  refuseUnlessProposed(candidate);
  if (candidate.isStale) throw new Refusal("candidate_stale", { members: { candidate_id: candidate.id } });
  const { focus, gate } = candidate.proposal;
  const trigger = { ...wish.trigger, candidateId: candidate.id };
  const run = await makeRun(books, { kind: "maintain", gate, ...wish, focus: wish.focus ?? focus, trigger }, making);
  const was = { ...candidate.was, selected: true };
  await books.candidates.save({ ...candidate, state: "selected", runId: run.id, was });
  return run;
}

function refuseUnlessProposed({ id, state, runId }: CandidateRecord): void {
  const members = { candidate_id: id, run_id: runId, current_state: state };
  if (state === "rejected") throw new Refusal("candidate_rejected", { members });
  if (candidateAfter(state, "selected") === null) throw new Refusal("candidate_not_proposed", { members });
}

/** Dismissing twice is dismissing once: the first reason stays. */
export async function rejectCandidate(
  { candidates }: Pick<Books, "candidates">,
  candidate: CandidateRecord,
  { reason, now }: { readonly reason: string | null; readonly now: number },
): Promise<CandidateRecord> {
  if (candidate.state === "rejected") return candidate;
  const { id, runId, state } = candidate;
  if (candidateAfter(state, "rejected") === null)
    throw new Refusal("candidate_not_proposed", { members: { candidate_id: id, run_id: runId, current_state: state } });
  const rejected: CandidateRecord = { ...candidate, state: "rejected", reject: { reason, at: now } };
  await candidates.save(rejected);
  return rejected;
}
