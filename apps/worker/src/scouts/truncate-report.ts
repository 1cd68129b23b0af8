/** What a scout reports goes in one frame, and one that is too long is refused for ever: what matters least of it is left out. */
import type { ExploreReport, Proved } from "./explore-request.ts";

/** A frame takes 256 KiB, with what else is in it. */
const REPORT_BYTES = 240 * 1024;

/**
 * What became of known candidates stays, whatever it takes; of new ones as many as there is room for, from the best on; then what
 * the gates of known ones printed. Measured as it is sent: a colour of a terminal takes six bytes there for its first one.
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

function withoutOutput({ proof, ...about }: Proved): Proved {
  return { ...about, proof: proof && { ...proof, output: "" } };
}

function bytesOf(what: unknown): number {
  return Buffer.byteLength(JSON.stringify(what));
}
