/** A scout's proposal; `mark` makes it a different finding. */
import type { Proposal } from "@triptych/contracts";

export function proposal(mark: number, more: Partial<Proposal> = {}): Proposal {
  return {
    title: `finding ${mark}`,
    focus: `Mend finding ${mark}.`,
    gate: { cmd: `test ! -e ${mark}`, timeout_s: 120, frozen_paths: ["test.js"] },
    gate_proof: { exit_code: 1, duration_ms: 80, output: "red" },
    category: "bug",
    rationale: "it is wrong",
    evidence: [{ path: "sum.js", line: 1, sha: "ab12", excerpt: "a - b" }],
    score: mark / 100,
    effort: "s",
    risk: "low",
    fingerprint: `sha256:${String(mark).padStart(64, "0")}`,
    source: "scan",
    mendable: false,
    ...more,
  };
}

export const GREEN = { exit_code: 0, duration_ms: 80, output: "" };
