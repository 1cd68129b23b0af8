import assert from "node:assert/strict";
import { test } from "node:test";
import { VERDICTS } from "@triptych/contracts";
import { makeRun } from "../../src/domain/make-run.ts";
import { prTextOf } from "../../src/domain/pr-text.ts";
import type { RunFacts, RunRecord } from "../../src/domain/records.ts";
import { openScene } from "../support/open-scene.ts";
import { accountRecord, repoRecord } from "../support/records.ts";

/** A run as it is made, which every test makes something else of. */
async function madeRun(): Promise<(focus: string, facts: Partial<RunFacts>) => RunRecord> {
  await using scene = await openScene();
  const account = { ...accountRecord(scene.pro.account_id), id: scene.pro.account_id };
  const wish = { kind: "maintain", trigger: { type: "manual", retryOf: null } } as const;
  const making = { account, repo: repoRecord(), id: "run_1", now: 5, hasWorkers: true };
  const run = await scene.store.change(account.id, (books) => makeRun(books, wish, making));
  return (focus, facts) => ({ ...run, focus, facts: { ...run.facts, ...facts } });
}

const RUN = await madeRun();
const baseline = (exit_code: number) => ({ exit_code, duration_ms: 5, cached: false });
const verify = (verdict: RunFacts["verify"]["verdict"], exit_code = 0) => ({
  verify: { baseline: baseline(exit_code), attempts: [{ n: 1, exit_code: 0, duration_ms: 790 }], gate: null, verdict },
});

test("only what passed is presented as finished; each other verdict says at the top what it is, as a draft", () => {
  const telling: Readonly<Record<string, RegExp>> = {
    passed: /^The checks pass\./,
    gate_only: /^\*\*Draft:\*\* the gate passes; .* still are\./,
    flaky: /^\*\*Draft:\*\* the checks failed once and passed/,
    skipped: /^\*\*Draft:\*\* .*nothing was checked/,
  };
  for (const verdict of [...VERDICTS, null]) {
    const { body, isDraftAnyway } = prTextOf(RUN("Mend it.", verify(verdict)));
    assert.equal(isDraftAnyway, verdict !== "passed", String(verdict));
    assert.match(body, telling[verdict ?? "skipped"] ?? /^\*\*Draft:\*\*/, String(verdict));
    assert.match(body, /\n<!-- panel-run: run_1 -->$/);
  }
});

test("what was red before is said to be fixed, checks and size are told, changed tests are pointed at", () => {
  const diff = { files: 2, insertions: 1, deletions: 3, patch_id: "9f" };
  const { body } = prTextOf(RUN("Mend it.", { ...verify("passed", 1), diff, warnings: ["tests_changed"] }));
  assert.match(body, /^\*\*Fixed:\*\* the checks were red before this change and pass now\./);
  assert.match(body, /\| 1 \| 0 \| 790 ms \|/);
  assert.match(body, /2 files, 1 line added, 3 removed\./);
  assert.match(body, /tests that existed before were changed or deleted/);
});

test("a focus is data: it stands in a fence that it cannot close, and is one line of a title", () => {
  const focus = "Close #1 @ada\n````\n# Big <img src=x>\u0000\n";
  const { title, body } = prTextOf(RUN(focus, verify("passed")));
  assert.equal(title, "Close #1 @ada");
  const [, fence = "", inside] = /\n(`{3,})text\n([\s\S]*)\n\1\n/.exec(body) ?? [];
  assert.equal(inside, focus);
  assert.ok(!focus.includes(fence));
  assert.equal(Array.from(prTextOf(RUN("😀".repeat(300), verify("passed"))).title).length, 120);
});
