import assert from "node:assert/strict";
import { test } from "node:test";
import { CANDIDATE_STATES, type GateProof } from "@triptych/contracts";
import * as fc from "fast-check";
import { selectCandidate } from "../../src/domain/candidates/candidates.ts";
import { listKnownCandidates } from "../../src/domain/candidates/scout-report.ts";
import type { RunRecord } from "../../src/domain/records.ts";
import { earlierFingerprintOf } from "../../src/domain/candidates/rejections.ts";
import { DomainError } from "../../src/domain/domain-error.ts";
import type { RunEvent } from "../../src/domain/run-states.ts";
import { GREEN, proposal } from "../support/candidate.ts";
import { createScoutFixture, MANUAL, SECRET, type ScoutFixture } from "../support/scout-fixture.ts";

const RED: GateProof = { exit_code: 1, duration_ms: 1, output: "red" };
const TO_PUSHED: readonly RunEvent[] = ["leased", "accepted", "ready", "agent_ended", "passed", "push_confirmed"];

test("bounds a scout's known candidates in encoded bytes", async () => {
  await using fixture = await createScoutFixture();
  const gate = (mark: number) => ({ cmd: `: ${mark} ${"目".repeat(1_900)}`, timeout_s: 120 });
  for (let mark = 1; mark <= 60; mark++) await fixture.report({ candidates: [proposal(mark, { gate: gate(mark) })] });
  const knownCandidates = await fixture.change((all) => listKnownCandidates(all, { repoId: "rep_1", now: 9 }));
  assert.ok(
    knownCandidates.length > 10 && Buffer.byteLength(JSON.stringify(knownCandidates)) < 105_000,
    String(knownCandidates.length),
  );
});

test("updates candidates that were not found again by their gates", async () => {
  await using fixture = await createScoutFixture();
  const { report, findKnown, select, change } = fixture;
  const marks = [1, 2, 3, 4];
  await report({ candidates: marks.map((mark) => proposal(mark)) });
  const proof = (mark: number, gate_proof: GateProof | null, is_evidence_gone = false) => ({
    fingerprint: proposal(mark).fingerprint,
    gate_proof,
    is_evidence_gone,
  });
  const proofs = [proof(1, GREEN), proof(2, { ...RED, output: SECRET }, true), proof(3, null, true), proof(4, null)];
  await report({ proofs: [...proofs, proof(9, GREEN)] }, "b");
  const now = await Promise.all(marks.map((mark) => findKnown(mark)));
  assert.deepEqual(
    now.map(({ state, outcome, isStale, baseSha }) => [state, outcome, isStale, baseSha?.[0]]),
    [
      ["done", "already_fixed", false, "b"],
      ["proposed", null, false, "b"],
      ["proposed", null, true, "a"],
      ["proposed", null, false, "a"],
    ],
  );
  assert.equal(now[1]?.proposal.gate_proof.output, "[redacted:my]");
  await assert.rejects(select(3), { code: "candidate_stale" });
  // Found again, it can run again.
  await report({ candidates: [proposal(3)] }, "b");
  assert.equal((await select(3)).state, "queued");
  await fixture.reject(4);
  assert.deepEqual(
    (await change((all) => listKnownCandidates(all, { repoId: "rep_1", now: 9 }))).map(({ fingerprint, gate }) => [
      fingerprint,
      gate?.cmd,
    ]),
    [
      [proposal(2).fingerprint, "test ! -e 2"],
      [proposal(4).fingerprint, undefined],
      [proposal(3).fingerprint, undefined],
    ],
  );
});

/** A dependency update as the scan reports it; `mark` is its fingerprint, one per major version. */
const update = (mark: number, version: string) =>
  proposal(mark, {
    category: "deps",
    gate: { cmd: `triptych gate dep-at-least typescript ${version}`, timeout_s: 120 },
  });
const deps = async ({ repositories }: ScoutFixture) =>
  (await repositories.candidates.list("rep_1", { state: null, category: "deps" }, { below: null, limit: 9 })).map(
    ({ state, proposal: { gate } }) => `${gate.cmd.split(" ").at(-1)} ${state}`,
  );

test("rejecting an update rejects its major version: 7.1 is suppressed, 8.0 is proposed", async () => {
  await using fixture = await createScoutFixture();
  await fixture.report({ candidates: [update(7, "7.0.2")] });
  assert.equal((await fixture.reject(7)).reject?.scope, "major");
  const again = await fixture.report({ candidates: [update(7, "7.1.0")] });
  assert.deepEqual([again.suppressed, await deps(fixture)], [1, ["7.0.2 rejected"]]);
  await fixture.report({ candidates: [update(8, "8.0.0")] });
  assert.deepEqual(await deps(fixture), ["8.0.0 proposed", "7.0.2 rejected"]);
});

test("rejecting an update of several packages rejects the major version of the first", async () => {
  await using fixture = await createScoutFixture();
  await fixture.report({ candidates: [update(7, "7.0.2 tslib 3.0.0")] });
  await fixture.reject(7);
  assert.equal((await fixture.report({ candidates: [update(8, "7.1.0")] })).suppressed, 1);
});

test("a rejection of one version or of every version covers just that", async () => {
  await using fixture = await createScoutFixture();
  await fixture.report({ candidates: [update(7, "7.0.2")] });
  await fixture.reject(7, { scope: "this" });
  assert.equal((await fixture.report({ candidates: [update(7, "7.0.2")] })).suppressed, 1);
  const knownCandidates = await fixture.change((all) => listKnownCandidates(all, { repoId: "rep_1", now: 9 }));
  assert.deepEqual(knownCandidates, []);
  await fixture.report({ candidates: [update(7, "7.1.0")] });
  assert.deepEqual(await deps(fixture), ["7.1.0 proposed"]);
  await fixture.reject(7, { scope: "always" });
  assert.equal((await fixture.report({ candidates: [update(8, "8.0.0")] })).suppressed, 1);
  assert.deepEqual(await deps(fixture), ["7.1.0 rejected"]);
});

test("a rejection of version 0.1 suppresses every later version of its package", async () => {
  await using fixture = await createScoutFixture();
  await fixture.report({ candidates: [update(7, "7.0.2")] });
  const before = await fixture.findKnown(7);
  const fingerprint = earlierFingerprintOf({ name: "typescript", version: "7.0.2", major: "7" });
  const reject = { reason: null, at: 1 };
  await fixture.save({ ...before, state: "rejected", proposal: { ...before.proposal, fingerprint }, reject });
  await fixture.report({ candidates: [update(8, "8.0.0")] });
  assert.deepEqual(await deps(fixture), ["7.0.2 rejected"]);
});

test("a later major version replaces the proposed update of the same package", async () => {
  await using fixture = await createScoutFixture();
  await fixture.report({ candidates: [update(7, "7.0.2")] });
  await fixture.report({ candidates: [update(8, "8.0.0")] });
  assert.deepEqual(await deps(fixture), ["8.0.0 proposed"]);
});

test("proposes a snoozed candidate again after its time, found or proved again", async () => {
  await using fixture = await createScoutFixture();
  await fixture.report({ candidates: [proposal(1), proposal(2)] });
  for (const mark of [1, 2]) await fixture.reject(mark, { until: 50 });
  const knownCandidates = async (now: number) =>
    (await fixture.change((all) => listKnownCandidates(all, { repoId: "rep_1", now }))).map(
      ({ gate }) => gate?.cmd ?? null,
    );
  assert.deepEqual(await knownCandidates(49), [null, null]);
  assert.equal((await fixture.report({ candidates: [proposal(1)] }, "a", 49)).suppressed, 1);
  assert.deepEqual(await knownCandidates(50), ["test ! -e 2", "test ! -e 1"]);
  const proofs = [{ fingerprint: proposal(2).fingerprint, gate_proof: RED, is_evidence_gone: false }];
  assert.equal((await fixture.report({ candidates: [proposal(1)], proofs }, "a", 50)).proposed, 2);
  const states = await Promise.all([1, 2].map(async (mark) => fixture.findKnown(mark)));
  assert.deepEqual(
    states.map(({ state, reject }) => [state, reject]),
    [
      ["proposed", null],
      ["proposed", null],
    ],
  );
});

test("does not propose a delivered change again until the base has moved", async () => {
  await using fixture = await createScoutFixture();
  const { report, findKnown, select, end, repositories } = fixture;
  await report({ candidates: [proposal(1)] });
  await end((await select(1)).id, TO_PUSHED, "a");
  await report({ candidates: [proposal(1)] });
  assert.equal((await findKnown(1)).state, "done");
  assert.equal((await repositories.candidates.counts("rep_1")).suppressed, 1);
  await report({ candidates: [proposal(1)] }, "b");
  assert.equal((await findKnown(1)).state, "proposed");
});

test("redacts secrets in texts of scouts, and drops a candidate with a secret in its gate", async () => {
  await using fixture = await createScoutFixture();
  const text = `it says ${SECRET}`;
  const texts = {
    title: text,
    focus: text,
    rationale: text,
    evidence: [{ path: "a", line: 1, sha: null, excerpt: text }],
  };
  const gate = { cmd: `test ${SECRET} = x` };
  await fixture.report({ candidates: [proposal(1, texts), proposal(2, { gate })] });
  const all = await fixture.repositories.candidates.list("rep_1", { state: null }, { below: null, limit: 9 });
  assert.deepEqual([all.length, all[0]?.proposal.title], [1, "it says [redacted:my]"]);
  assert.doesNotMatch(JSON.stringify(all), /hunter2/);
});

test("uses mechanical repairs without a named or connected agent, and allows adding CI files", async () => {
  await using fixture = await createScoutFixture();
  const { report, change, making, findKnown } = fixture;
  const ci = { cmd: "triptych gate has ci" };
  await report({
    candidates: [
      proposal(1, { mendable: true }),
      proposal(2),
      proposal(3, { gate: ci }),
      proposal(4, { gate: ci, source: "agent" }),
    ],
  });
  const made = await change(async (all) => {
    const runs: RunRecord[] = [];
    for (const mark of [1, 2, 3, 4])
      runs.push(await selectCandidate(all, await findKnown(mark, all), { trigger: MANUAL }, making()));
    return runs;
  });
  assert.deepEqual(
    made.map(({ spec }) => [spec.settings.team.members.map(({ cli }) => cli), spec.mayAddProtected]),
    [
      [["mend"], undefined],
      [[], undefined],
      [[], true],
      [[], undefined],
    ],
  );
});

type Step =
  | { readonly does: "report" | "prove"; readonly mark: number; readonly isRed: boolean }
  | { readonly does: "repeat" | "select" | "reject" | "push" | "cancel"; readonly mark: number };

test("partitions candidates into four counts under random actions, and keeps rejections", async () => {
  const mark = fc.nat(3);
  const isRed = fc.boolean();
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ does: fc.constantFrom("report" as const, "prove" as const), mark, isRed }),
    fc.record({ does: fc.constantFrom("repeat", "select", "reject", "push", "cancel"), mark }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await using fixture = await createScoutFixture();
      const rejected = new Set<string>();
      for (const step of steps) {
        await follow(fixture, step);
        const all = await fixture.repositories.candidates.list("rep_1", { state: null }, { below: null, limit: 99 });
        const { byState, everSelected, delivered } = await fixture.repositories.candidates.counts("rep_1");
        for (const state of CANDIDATE_STATES)
          assert.equal(byState[state], all.filter((candidate) => candidate.state === state).length);
        assert.ok(delivered <= everSelected && everSelected <= all.length);
        for (const { id, state } of all) {
          assert.ok(!rejected.has(id) || state === "rejected");
          if (state === "rejected") rejected.add(id);
        }
      }
    }),
    { numRuns: process.env["TEST_LONG"] === undefined ? 15 : 300 },
  );
});

async function follow(fixture: ScoutFixture, step: Step): Promise<void> {
  const { fingerprint } = proposal(step.mark);
  const candidate = await fixture.repositories.candidates.withFingerprint("rep_1", fingerprint);
  try {
    if (step.does === "report")
      return void (await fixture.report({
        candidates: [proposal(step.mark, { gate_proof: step.isRed ? RED : GREEN })],
      }));
    if (step.does === "prove")
      return void (await fixture.report({
        proofs: [{ fingerprint, gate_proof: step.isRed ? RED : GREEN, is_evidence_gone: false }],
      }));
    if (step.does === "repeat") return void (await fixture.report({ repeated: [fingerprint] }));
    if (candidate === null) return;
    if (step.does === "select") await fixture.select(step.mark);
    else if (step.does === "reject") await fixture.reject(step.mark);
    else if (candidate.state === "selected" && candidate.runId !== null)
      await fixture.end(candidate.runId, step.does === "push" ? TO_PUSHED : ["cancelled"]);
  } catch (error) {
    // Actions that the state forbids change nothing.
    if (!(error instanceof DomainError)) throw error;
  }
}
