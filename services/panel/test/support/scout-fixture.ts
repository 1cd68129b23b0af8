/** An in-memory repo with helpers for a scout's reports, and for rejections. */
import assert from "node:assert/strict";
import { createRedactor } from "@triptych/redaction";
import { openDatabase } from "@triptych/storage";
import { rejectCandidate, selectCandidate, type RejectOptions } from "../../src/domain/candidates/candidates.ts";
import { applyScoutReport } from "../../src/domain/candidates/scout-report.ts";
import { createRun, transitionRun } from "../../src/domain/create-run.ts";
import type { CandidateRecord, RunRecord } from "../../src/domain/records.ts";
import type { Repositories } from "../../src/domain/repositories.ts";
import type { RunEvent } from "../../src/domain/run-states.ts";
import { PANEL_MIGRATIONS, PANEL_SCHEMA, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { proposal } from "./candidate.ts";
import { accountRecord, newAccount, repoRecord } from "./records.ts";

const ACCOUNT = accountRecord("acc_a");
const REPO = repoRecord({});
export const SECRET = "hunter2-hunter2";
const redactor = createRedactor(new Map([["my", SECRET]]));
const shaOf = (digit: string) => digit.repeat(40);
export const MANUAL = { type: "manual", retryOf: null } as const;
type Report = Parameters<typeof applyScoutReport>[2];

export async function createScoutFixture() {
  const location = { url: "sqlite::memory:", schema: PANEL_SCHEMA, migrations: PANEL_MIGRATIONS };
  const database = await openDatabase<PanelTables>(location);
  const store = storeOn(database);
  await store.system.createAccount(newAccount(ACCOUNT));
  const repositories = store.of("acc_a");
  const change = <T>(work: (repositories: Repositories) => Promise<T>) => store.change("acc_a", work);
  await change(({ repos }) => repos.add(REPO));
  let count = 0;
  const newId = (prefix: string) => `${prefix}_${String(count++).padStart(6, "0")}`;
  const making = () => ({ account: ACCOUNT, repo: REPO, id: newId("run"), now: 5, hasWorkers: true });
  const scout = await change((all) => createRun(all, { kind: "explore", trigger: MANUAL }, making()));
  const at = (run: RunRecord, digit: string) => ({
    ...run,
    facts: { ...run.facts, base: { branch: "main", sha: shaOf(digit) } },
  });
  const clean = (text: string) => redactor.text(text);
  const findKnown = async (mark: number, all: Pick<Repositories, "candidates"> = repositories) => {
    const record = await all.candidates.withFingerprint("rep_1", proposal(mark).fingerprint);
    assert.ok(record !== null);
    return record;
  };
  return {
    repositories,
    change,
    findKnown,
    making,
    report: (report: Report, base = "a", now = 9) =>
      change((all) => applyScoutReport(all, at(scout, base), report, { newId, now, clean })),
    select: (mark: number) =>
      change(async (all) => selectCandidate(all, await findKnown(mark, all), { trigger: MANUAL }, making())),
    rejectFound: (candidate: CandidateRecord, options: Partial<RejectOptions> = {}) =>
      change((all) => rejectCandidate(all, candidate, { reason: null, now: 7, ...options })),
    reject: (mark: number, options: Partial<RejectOptions> = {}) =>
      change(async (all) => rejectCandidate(all, await findKnown(mark, all), { reason: null, now: 7, ...options })),
    save: (candidate: CandidateRecord) => change(({ candidates }) => candidates.save(candidate)),
    async end(runId: string, events: readonly RunEvent[], base?: string) {
      for (const event of events)
        await change(async (all) => {
          const run = await all.runs.find(runId);
          assert.ok(run !== null);
          const facts = base === undefined ? {} : { base: { branch: "main", sha: shaOf(base) } };
          const result = event === "cancelled" ? ({ code: "cancelled", message: "" } as const) : undefined;
          await transitionRun(all, run, event, { at: 8, facts, result });
        });
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

export type ScoutFixture = Awaited<ReturnType<typeof createScoutFixture>>;
