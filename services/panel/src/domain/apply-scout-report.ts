/**
 * The last word of a scout, in the commit of its step: what it found is proposed, what it proved again stays or is done, and what it
 * found again without anybody wanting it is counted. A report is data of a foreign program: it is bounded and without secrets, and
 * what has no form is counted, never thrown.
 */
import type { PanelFrame, ReportData, RunExplore } from "@triptych/contracts";
import { propose, type Hearing } from "./candidates.ts";
import { exploreResultOf } from "./explore-result.ts";
import type { Books } from "./repositories.ts";
import type { CandidateRecord, RunRecord } from "./records.ts";
import { covers, dependencyOf, isOver, scopeOf } from "./rejections.ts";

type Report = ReportData["succeeded"];
type Proof = NonNullable<Report["proofs"]>[number];

/** More than any scout is asked for, with all that was known before. */
const MOST = 1_000;
const OUTPUT_MOST = 16 * 1024;

export async function hearScout(
  books: Pick<Books, "candidates" | "runs">,
  run: RunRecord,
  { candidates = [], proofs = [], repeated = [], scan }: Report,
  hearing: Hearing,
): Promise<RunExplore> {
  const found = { ...(await propose(books, run, candidates.slice(0, MOST), hearing)) };
  for (const proof of proofs.slice(0, MOST)) {
    const fate = await hearProof(books, run, proof, hearing);
    if (fate !== null) found[fate]++;
  }
  let suppressed = 0;
  for (const fingerprint of new Set(repeated.slice(0, MOST))) {
    const known = await books.candidates.withFingerprint(run.repoId, fingerprint);
    if (known?.state === "rejected") suppressed++;
  }
  if (suppressed > 0) await books.candidates.tally(run.repoId, { suppressed, droppedGreen: 0 });
  return exploreResultOf(scan, { ...found, suppressed: found.suppressed + suppressed }, hearing.clean);
}

/** Of a candidate that still waits and was not found again: its gate alone decides. Null: it is not one, or was not proved. */
async function hearProof(
  { candidates }: Pick<Books, "candidates">,
  run: RunRecord,
  { fingerprint, gate_proof: proof, is_evidence_gone: isEvidenceGone }: Proof,
  { clean, now }: Hearing,
): Promise<"proposed" | "renewed" | "fixed" | null> {
  const known = await candidates.withFingerprint(run.repoId, fingerprint);
  if (known === null || !isOpen(known, now)) return null;
  // Nothing was proved at this base: what it was found in decides whether it can still be meant.
  if (proof === null) {
    await candidates.save({ ...known, isStale: known.isStale || isEvidenceGone });
    return null;
  }
  const gate_proof = { ...proof, output: clean(proof.output).slice(-OUTPUT_MOST) };
  const about = { proposal: { ...known.proposal, gate_proof }, exploreRunId: run.id, isStale: false };
  const baseSha = run.facts.base?.sha ?? known.baseSha;
  const isFixed = proof.exit_code === 0;
  const end = isFixed ? ({ state: "done", outcome: "already_fixed" } as const) : ({ state: "proposed" } as const);
  await candidates.save({ ...known, ...about, baseSha, ...end, reject: null });
  if (isFixed) return "fixed";
  return known.state === "proposed" ? "renewed" : "proposed";
}

/** Proposed, or snoozed until now. */
function isOpen({ state, reject }: CandidateRecord, now: number): boolean {
  return state === "proposed" || (state === "rejected" && reject !== null && isOver(reject, now));
}

/** What a scout is told of before it begins. */
export type KnownCandidate = NonNullable<Extract<PanelFrame, { readonly t: "assign" }>["known"]>[number];

const PROPOSED_TOLD = 100;
const OTHERS_TOLD = 500;
/** Beside everything else that one frame holds. */
const TOLD_BYTES = 100 * 1024;

/** A later version has the same fingerprint: whether it is covered is decided when the scout reports it. */
function isOneVersion({ reject, proposal }: CandidateRecord): boolean {
  return reject !== null && scopeOf(reject) === "this" && dependencyOf(proposal) !== null;
}

/** Proposed ones with their gates, to be proved again; of those that nobody waits for, who they are. */
export async function knownCandidates(
  { candidates }: Pick<Books, "candidates">,
  { repoId, now }: { readonly repoId: string; readonly now: number },
): Promise<KnownCandidate[]> {
  const read = (state: CandidateRecord["state"], limit: number) =>
    candidates.list(repoId, { state }, { below: null, limit });
  const rejected = await read("rejected", OTHERS_TOLD);
  const open = [...(await read("proposed", PROPOSED_TOLD)), ...rejected.filter((one) => isOpen(one, now))];
  const proposed = open.map(({ proposal }) => ({
    fingerprint: proposal.fingerprint,
    gate: proposal.gate,
    paths: proposal.evidence.map(({ path }) => path),
  }));
  const covered = rejected.filter((one) => covers(one, one.proposal, now) && !isOneVersion(one));
  const others = [...covered, ...(await read("selected", OTHERS_TOLD))];
  const named = others.map(({ proposal: { fingerprint } }) => ({ fingerprint, gate: null, paths: [] }));
  let bytes = 0;
  return [...proposed, ...named].filter((one) => (bytes += Buffer.byteLength(JSON.stringify(one))) <= TOLD_BYTES);
}
