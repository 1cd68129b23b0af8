/** Truncates a scout's report to one frame, because the panel refuses a longer one on every retry. */
import type { ExploreReport, FindingProof } from "./explore-request.ts";

/** A frame takes 256 KiB, with its other members. */
const REPORT_BYTES = 240 * 1024;

/**
 * Results of known candidates always stay; then new findings, best first; then gate output of known ones. Measured as serialized: an
 * escape character takes six bytes.
 */
export function fitReport({ candidates, proofs, repeated }: ExploreReport): ExploreReport {
  const bare = proofs.map(withoutOutput);
  let remainingBytes = REPORT_BYTES - bytesOf([bare, repeated]);
  const takes = (what: unknown) => {
    const bytes = bytesOf(what) + 1;
    if (bytes > remainingBytes) return false;
    remainingBytes -= bytes;
    return true;
  };
  const included = candidates.filter(takes);
  return {
    candidates: included,
    proofs: proofs.map((entry, at) => (takes(entry.proof?.output ?? "") ? entry : bare[at])),
    repeated,
  };
}

function withoutOutput({ proof, ...about }: FindingProof): FindingProof {
  return { ...about, proof: proof && { ...proof, output: "" } };
}

function bytesOf(what: unknown): number {
  return Buffer.byteLength(JSON.stringify(what));
}
