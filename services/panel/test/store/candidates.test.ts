import assert from "node:assert/strict";
import { test } from "node:test";
import type { CandidateState } from "@triptych/contracts";
import { forEachEngine } from "@triptych/storage/testing";
import { propose, rejectCandidate, selectCandidate } from "../../src/domain/candidates/candidates.ts";
import { createRun, transitionRun } from "../../src/domain/create-run.ts";
import type { Repositories, PanelStore } from "../../src/domain/repositories.ts";
import type { RunResult } from "../../src/domain/records.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/repo-settings.ts";
import type { RunEvent } from "../../src/domain/run-states.ts";
import { PANEL_MIGRATIONS, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { GREEN, proposal } from "../support/candidate.ts";
import { accountRecord, newAccount, repoRecord } from "../support/records.ts";

const ACCOUNT = accountRecord("acc_a");
const REPO = repoRecord({
  settings: { ...DEFAULT_SETTINGS, explore: { ...DEFAULT_SETTINGS.explore, max_candidates: 3 } },
});

/** A repo, a scout's run, and helpers for their events. */
async function createFixture(store: PanelStore) {
  await store.system.createAccount(newAccount(ACCOUNT));
  await store.change("acc_a", ({ repos }) => repos.add(REPO));
  let count = 0;
  const newId = (prefix: string) => `${prefix}_${String(count++).padStart(3, "0")}`;
  const making = () => ({ account: ACCOUNT, repo: REPO, id: newId("run"), now: 5, hasWorkers: true });
  const manual = { type: "manual", retryOf: null } as const;
  const repositories = store.of("acc_a");
  const scout = await store.change("acc_a", (all) => createRun(all, { kind: "explore", trigger: manual }, making()));
  const findKnown = async (mark: number, { candidates }: Pick<Repositories, "candidates"> = repositories) => {
    const record = await candidates.withFingerprint("rep_1", proposal(mark).fingerprint);
    assert.ok(record !== null);
    return record;
  };
  return {
    repositories,
    findKnown,
    stateOf: async (mark: number): Promise<CandidateState> => (await findKnown(mark)).state,
    report: (...entries: unknown[]) =>
      store.change("acc_a", (all) => propose(all, scout, entries, { newId, now: 9, clean: (text) => text })),
    select: (mark: number) =>
      store.change("acc_a", async (all) =>
        selectCandidate(all, await findKnown(mark, all), { trigger: manual }, making()),
      ),
    reject: (mark: number, reason: string | null) =>
      store.change("acc_a", async (all) => rejectCandidate(all, await findKnown(mark, all), { reason, now: 7 })),
    async end(runId: string, events: readonly RunEvent[], result?: RunResult) {
      for (const event of events)
        await store.change("acc_a", async (all) => {
          const run = await all.runs.find(runId);
          assert.ok(run !== null);
          return transitionRun(all, run, event, { at: 8, result });
        });
    },
  };
}

const TO_PUSHED: readonly RunEvent[] = ["leased", "accepted", "ready", "agent_ended", "passed", "push_confirmed"];

forEachEngine<PanelTables>("candidates", { migrations: PANEL_MIGRATIONS }, (open) => {
  test("proposes a report by score up to the limit, and counts green and malformed entries", async () => {
    await using database = await open();
    const { repositories, report, findKnown } = await createFixture(storeOn(database));
    const tally = await report(
      proposal(10),
      proposal(30),
      proposal(5, { gate_proof: GREEN }),
      { ...proposal(40), fingerprint: "mine" },
      "nonsense",
      proposal(20, { category: "docs", score: 0.3 }),
      proposal(50),
      proposal(10, { title: "said again" }),
    );
    assert.deepEqual(tally, { proposed: 3, renewed: 1, fixed: 0, suppressed: 0, droppedGreen: 1, refused: 3 });
    const list = (category?: "docs") =>
      repositories.candidates.list("rep_1", { state: "proposed", category }, { below: null, limit: 9 });
    assert.deepEqual(
      (await list()).map(({ proposal: { title } }) => title),
      ["finding 20", "finding 30", "said again"],
    );
    const [first] = await list();
    assert.ok(first !== undefined);
    const rest = { below: { score: 0.3, id: first.id }, limit: 1 };
    const [second] = await repositories.candidates.list("rep_1", { state: null }, rest);
    assert.equal(second?.proposal.title, "finding 30");
    assert.equal((await list("docs")).length, 1);
    assert.equal((await findKnown(10)).proposal.gate.baseline, "must_fail");
    assert.equal((await repositories.candidates.counts("rep_1")).droppedGreen, 1);
    assert.equal((await repositories.repos.stats(["rep_1"], 0)).get("rep_1")?.candidatesProposed, 3);
  });

  test("moves a candidate with its run: proposed again on failure, done when pushed or not needed", async () => {
    await using database = await open();
    const { repositories, report, select, end, findKnown, stateOf } = await createFixture(storeOn(database));
    await report(proposal(1), proposal(2));
    const run = await select(1);
    assert.deepEqual([run.focus, run.spec.gate?.cmd], ["Mend finding 1.", "test ! -e 1"]);
    await assert.rejects(select(1), { code: "candidate_not_proposed" });
    assert.deepEqual(
      (await repositories.runs.list({ candidateId: (await findKnown(1)).id }, { below: null, limit: 9 })).map(
        ({ id }) => id,
      ),
      [run.id],
    );
    await end(run.id, ["cancelled"], { code: "cancelled", message: "" });
    assert.deepEqual([await stateOf(1), (await findKnown(1)).attempts], ["proposed", 1]);
    const again = await select(1);
    await end(again.id, TO_PUSHED);
    assert.deepEqual([await stateOf(1), (await findKnown(1)).outcome], ["done", "delivered"]);
    const other = await select(2);
    await end(other.id, ["leased", "accepted", "unchanged"], { code: "gate_not_red", message: "" });
    assert.deepEqual([await stateOf(2), (await findKnown(2)).outcome], ["done", "already_fixed"]);
    const counts = await repositories.candidates.counts("rep_1");
    assert.deepEqual(counts.byState, { proposed: 0, selected: 0, rejected: 0, done: 2 });
    assert.deepEqual([counts.everSelected, counts.delivered], [2, 1]);
  });

  test("keeps rejected candidates, reopens red done ones, and closes green proposed ones", async () => {
    await using database = await open();
    const { report, reject, select, end, findKnown, stateOf } = await createFixture(storeOn(database));
    await report(proposal(1), proposal(2), proposal(3));
    assert.deepEqual((await reject(1, "no")).reject, { reason: "no", at: 7, scope: "this", until: null });
    assert.deepEqual((await reject(1, "another")).reject, { reason: "no", at: 7, scope: "this", until: null });
    await end((await select(2)).id, TO_PUSHED);
    await assert.rejects(reject(2, null), { code: "candidate_not_proposed" });
    await assert.rejects(select(1), { code: "candidate_rejected" });
    const green = (mark: number) => proposal(mark, { gate_proof: GREEN });
    const tally = await report(proposal(1), green(2), green(3));
    assert.deepEqual(tally, { proposed: 0, renewed: 0, fixed: 1, suppressed: 2, droppedGreen: 0, refused: 0 });
    assert.deepEqual([await stateOf(1), await stateOf(2), await stateOf(3)], ["rejected", "done", "done"]);
    assert.equal((await findKnown(3)).outcome, "already_fixed");
    await report(proposal(2));
    assert.deepEqual([await stateOf(2), (await findKnown(2)).outcome], ["proposed", null]);
    await end((await select(2)).id, ["cancelled"], { code: "cancelled", message: "" });
    assert.equal((await report(proposal(2))).renewed, 1);
  });

  test("refuses to run a candidate whose source no longer exists", async () => {
    await using database = await open();
    const store = storeOn(database);
    const { report, select, findKnown } = await createFixture(store);
    await report(proposal(1));
    await store.change("acc_a", async (all) => all.candidates.save({ ...(await findKnown(1, all)), isStale: true }));
    await assert.rejects(select(1), { code: "candidate_stale" });
    await report(proposal(1));
    assert.equal((await select(1)).state, "queued");
  });
});
