/** Applies a scout's final report. It is untrusted: bounded and redacted, and malformed entries are counted, never thrown. */
import type { PanelFrame, ReportData, RunExplore } from "@triptych/contracts";
import { propose, type ApplyContext, type Proposed } from "./candidates.ts";
import type { Repositories } from "../repositories.ts";
import type { CandidateRecord, RunRecord } from "../records.ts";
import { covers, dependencyOf, isOver, scopeOf } from "./rejections.ts";

type Report = ReportData["succeeded"];
type Proof = NonNullable<Report["proofs"]>[number];

/** More than a scout's limit and all known candidates together. */
const ENTRIES_MAX = 1_000;
const OUTPUT_LENGTH_MAX = 16 * 1024;

export async function applyScoutReport(
  repositories: Pick<Repositories, "candidates" | "runs">,
  run: RunRecord,
  { candidates = [], proofs = [], repeated = [], scan }: Report,
  context: ApplyContext,
): Promise<RunExplore> {
  const tally = { ...(await propose(repositories, run, candidates.slice(0, ENTRIES_MAX), context)) };
  for (const proof of proofs.slice(0, ENTRIES_MAX)) {
    const result = await applyProof(repositories, run, proof, context);
    if (result !== null) tally[result]++;
  }
  let suppressed = 0;
  for (const fingerprint of new Set(repeated.slice(0, ENTRIES_MAX))) {
    const existing = await repositories.candidates.withFingerprint(run.repoId, fingerprint);
    if (existing?.state === "rejected") suppressed++;
  }
  if (suppressed > 0) await repositories.candidates.tally(run.repoId, { suppressed, droppedGreen: 0 });
  return exploreResultOf(scan, { ...tally, suppressed: tally.suppressed + suppressed }, context.clean);
}

/** The gate alone decides about an open candidate that was not found again. Null if it is not open or not proved. */
async function applyProof(
  { candidates }: Pick<Repositories, "candidates">,
  run: RunRecord,
  { fingerprint, gate_proof: proof, is_evidence_gone: isEvidenceGone }: Proof,
  { clean, now }: ApplyContext,
): Promise<"proposed" | "renewed" | "fixed" | null> {
  const existing = await candidates.withFingerprint(run.repoId, fingerprint);
  if (existing === null || !isOpen(existing, now)) return null;
  // Without a proof at this base, its source decides whether it can still apply.
  if (proof === null) {
    await candidates.save({ ...existing, isStale: existing.isStale || isEvidenceGone });
    return null;
  }
  const gate_proof = { ...proof, output: clean(proof.output).slice(-OUTPUT_LENGTH_MAX) };
  const about = { proposal: { ...existing.proposal, gate_proof }, exploreRunId: run.id, isStale: false };
  const baseSha = run.facts.base?.sha ?? existing.baseSha;
  const isFixed = proof.exit_code === 0;
  const end = isFixed ? ({ state: "done", outcome: "already_fixed" } as const) : ({ state: "proposed" } as const);
  await candidates.save({ ...existing, ...about, baseSha, ...end, reject: null });
  if (isFixed) return "fixed";
  return existing.state === "proposed" ? "renewed" : "proposed";
}

function isOpen({ state, reject }: CandidateRecord, now: number): boolean {
  return state === "proposed" || (state === "rejected" && reject !== null && isOver(reject, now));
}

export type KnownCandidate = NonNullable<Extract<PanelFrame, { readonly t: "assign" }>["known"]>[number];

const PROPOSED_MAX = 100;
const OTHERS_MAX = 500;
/** Leaves room for the rest of the frame. */
const CANDIDATES_BYTES_MAX = 100 * 1024;

/** A later version has the same fingerprint: coverage is decided when the scout reports it. */
function isSingleVersion({ reject, proposal }: CandidateRecord): boolean {
  const dependency = dependencyOf(proposal);
  // A group keeps its fingerprint while its packages change.
  return reject !== null && dependency !== null && (scopeOf(reject) === "this" || dependency.isGroup);
}

/** Proposed candidates with their gates, to be proved again; of the others, only the identity. */
export async function listKnownCandidates(
  { candidates }: Pick<Repositories, "candidates">,
  { repoId, now }: { readonly repoId: string; readonly now: number },
): Promise<KnownCandidate[]> {
  const read = (state: CandidateRecord["state"], limit: number) =>
    candidates.list(repoId, { state }, { below: null, limit });
  const rejected = await read("rejected", OTHERS_MAX);
  const open = [...(await read("proposed", PROPOSED_MAX)), ...rejected.filter((candidate) => isOpen(candidate, now))];
  const proposed = open.map(({ proposal }) => ({
    fingerprint: proposal.fingerprint,
    gate: proposal.gate,
    paths: proposal.evidence.map(({ path }) => path),
  }));
  const covered = rejected.filter(
    (candidate) => covers(candidate, candidate.proposal, now) && !isSingleVersion(candidate),
  );
  const others = [...covered, ...(await read("selected", OTHERS_MAX))];
  const named = others.map(({ proposal: { fingerprint } }) => ({ fingerprint, gate: null, paths: [] }));
  let bytes = 0;
  return [...proposed, ...named].filter(
    (candidate) => (bytes += Buffer.byteLength(JSON.stringify(candidate))) <= CANDIDATES_BYTES_MAX,
  );
}

type Scan = NonNullable<ReportData["succeeded"]["scan"]>;

/** `clean` redacts secrets: a worker's reason may name a registry with its credentials. */
export function exploreResultOf(
  scan: Scan | undefined,
  proposed: Proposed,
  clean: (text: string) => string,
): RunExplore {
  const checks = scan?.checks ?? [];
  return {
    checks_run: checks.flatMap(({ name, skipped }) => (skipped === null ? [name] : [])),
    checks_skipped: checks.flatMap(({ name, skipped }) =>
      skipped === null ? [] : [{ check: name, reason: clean(skipped) }],
    ),
    proposed: proposed.proposed,
    confirmed: proposed.renewed,
    fixed: proposed.fixed,
    suppressed: proposed.suppressed,
    dropped_green: proposed.droppedGreen,
    unproved: scan?.unproved ?? 0,
    refused: proposed.refused,
  };
}

export function exploreMessage(explore: RunExplore): string {
  const { checks_run: ran, checks_skipped: skipped, proposed, confirmed } = explore;
  const counts = [
    [confirmed, "proposed before and still failing"],
    [explore.fixed, "proposed before and since fixed"],
    [explore.suppressed, "suppressed: rejected, snoozed or delivered before"],
    [explore.dropped_green, "dropped: the gate already passes"],
    [explore.unproved, "dropped: the gate could not run"],
    [explore.refused, "omitted: over the limit or invalid"],
  ] as const;
  return [
    proposed === 0 ? "No new candidates." : `${counted(proposed, "new candidate")}.`,
    ...counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}.`])),
    ran.length === 0 && skipped.length === 0 ? "" : `${counted(ran.length, "check")} run, ${skipped.length} skipped.`,
    ...skipped.map(({ check, reason }) => `Skipped ${check}: ${reason.replace(/\.$/, "")}.`),
  ]
    .filter(Boolean)
    .join(" ");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
