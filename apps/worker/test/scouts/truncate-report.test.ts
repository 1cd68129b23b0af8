import assert from "node:assert/strict";
import { test } from "node:test";
import { FRAME_BYTES_MAX, type Proposal } from "@triptych/contracts";
import { fitReport } from "../../src/phases/explore/truncate-report.ts";

/** A test runner's output, with colors. */
const output = "\u001b[31m✖\n".repeat(250);
const proof = { exit_code: 1, duration_ms: 9, output };
const proofs = Array.from({ length: 100 }, (_, at) => {
  return { fingerprint: `sha256:${at}${"0".repeat(60)}`, proof, isEvidenceGone: false };
});
const candidate = { title: "A finding", rationale: "é".repeat(2_000), gate_proof: proof } as unknown as Proposal;

test("truncates a long report to one frame, with all known results and as many findings as fit", () => {
  const report = fitReport({ candidates: Array.from({ length: 50 }, () => candidate), proofs, repeated: [] });
  assert.ok(Buffer.byteLength(JSON.stringify(report)) < FRAME_BYTES_MAX - 10_000);
  assert.ok(report.candidates.length > 20);
  assert.deepEqual(
    report.proofs.map(({ proof }) => proof?.exit_code),
    proofs.map(() => 1),
  );
  const small = { candidates: [candidate], proofs: proofs.slice(0, 5), repeated: ["sha256:x"] };
  assert.deepEqual(fitReport(small), small);
});
