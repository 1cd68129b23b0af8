import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForgeFault } from "@triptych/forge-double";
import { git, openHandoverScene } from "../support/handover-scene.ts";

const REPAIR = { "sum.js": "export const sum = (a, b) => a + b;\n" };
const OTHER = { "sum.js": "export const sum = (...all) => all.reduce((a, b) => a + b);\n" };

for (const dialect of ["github", "gitlab", "gitea"] as const) {
  test(`${dialect}: a pull request is made once, and is there for whoever asks again`, async () => {
    await using scene = await openHandoverScene({ dialect });
    const run = await scene.pushedRun(REPAIR);
    assert.equal(run.state, "pushed");
    const made = await scene.openPr(run.id);
    assert.equal(made.statusCode, 201, made.body);
    assert.deepEqual([made.json().state, made.json().phase, made.json().pr.state], ["pr_open", "success", "open"]);
    const again = await scene.openPr(run.id);
    assert.deepEqual([again.statusCode, again.json().pr.number], [200, 1]);
    const [pull] = scene.forge.pulls.all;
    assert.equal(scene.forge.pulls.all.length, 1);
    assert.ok(pull?.body.endsWith(`<!-- panel-run: ${run.id} -->`), pull?.body);
    assert.equal(pull?.draft, false);
  });

  test(`${dialect}: one that is open already is adopted, one that was merged is not made again`, async () => {
    await using scene = await openHandoverScene({ dialect });
    const run = await scene.pushedRun(REPAIR);
    const wish = { title: "By hand", head: `acme:maint/${run.id}`, base: "main" };
    scene.forge.pulls.handle("POST", "/pulls", { query: new URLSearchParams(), body: wish });
    const adopted = await scene.openPr(run.id);
    assert.deepEqual([adopted.statusCode, adopted.json().pr.adopted], [200, true]);
    const second = await scene.pushedRun(OTHER);
    scene.forge.pulls.handle("POST", "/pulls", {
      query: new URLSearchParams(),
      body: { ...wish, head: `acme:maint/${second.id}` },
    });
    scene.forge.pulls.close(2, { merged: true });
    const merged = await scene.openPr(second.id, { reopen: true });
    assert.deepEqual([merged.statusCode, merged.json().code], [409, "pr_closed"]);
    assert.match(merged.json().pr_url, /\/pull\/2$/);
    assert.equal(scene.forge.pulls.all.length, 2);
  });

  test(`${dialect}: one that was closed is opened again when that is asked for`, async () => {
    await using scene = await openHandoverScene({ dialect });
    const run = await scene.pushedRun(REPAIR);
    const wish = { title: "By hand", head: `acme:maint/${run.id}`, base: "main" };
    scene.forge.pulls.handle("POST", "/pulls", { query: new URLSearchParams(), body: wish });
    scene.forge.pulls.close(1, { merged: false });
    assert.equal((await scene.openPr(run.id)).json().code, "pr_closed");
    const reopened = await scene.openPr(run.id, { reopen: true });
    assert.deepEqual([reopened.statusCode, reopened.json().pr.state, reopened.json().pr.number], [200, "open", 1]);
  });

  const faults: readonly (readonly [ForgeFault, number])[] = [
    ["error", 502],
    ["error_after_effect", 200],
    ["lost_answer", 200],
    ["rate_limited", 502],
  ];
  for (const [fault, status] of faults)
    test(`${dialect}: ${fault} on making one is answered ${status}, and there is one in the end`, async () => {
      await using scene = await openHandoverScene({ dialect });
      const run = await scene.pushedRun(REPAIR);
      const happened = scene.forge.failNext(fault);
      const answer = await scene.openPr(run.id);
      await happened;
      assert.equal(answer.statusCode, status, answer.body);
      if (fault === "rate_limited") assert.equal(answer.headers["retry-after"], "60");
      if (status === 502) assert.equal((await scene.runOf(run.id)).state, "pushed");
      assert.ok([200, 201].includes((await scene.openPr(run.id)).statusCode));
      assert.equal(scene.forge.pulls.all.length, 1);
    });
}

test("what was not pushed has no pull request, and plain git has none at all", async () => {
  await using scene = await openHandoverScene();
  const { run } = await scene.heldRun();
  const early = await scene.openPr(run.id);
  assert.deepEqual(
    [early.statusCode, early.json().code, early.json().current_state],
    [409, "run_not_pushed", "verifying"],
  );
  const pushed = await scene.pushedRun(REPAIR);
  await scene.ask("PATCH", `/api/repos/${scene.repo.id}`, { token: scene.token, body: { provider: "git" } });
  const plain = await scene.openPr(pushed.id);
  assert.deepEqual([plain.json().code, plain.json().branch], ["pr_unsupported", `maint/${pushed.id}`]);
  assert.match(plain.json().request_pull, new RegExp(pushed.facts.headSha ?? "none"));
});

test("the same change of another run is not asked for twice", async () => {
  await using scene = await openHandoverScene();
  const [first, second] = [await scene.pushedRun(REPAIR), await scene.pushedRun(REPAIR)];
  assert.equal((await scene.openPr(first.id)).statusCode, 201);
  const twin = await scene.openPr(second.id);
  assert.deepEqual([twin.statusCode, twin.json().code], [409, "duplicate_patch"]);
  assert.match(twin.json().pr_url, /\/pull\/1$/);
});

test("a branch that was removed is pushed again, one that was moved is left alone", async () => {
  await using scene = await openHandoverScene();
  const run = await scene.pushedRun(REPAIR);
  await git(scene.bare, "update-ref", "-d", `refs/heads/maint/${run.id}`);
  assert.equal((await scene.openPr(run.id)).statusCode, 201);
  assert.equal(await git(scene.bare, "rev-parse", `refs/heads/maint/${run.id}`), run.facts.headSha);
  const second = await scene.pushedRun(OTHER);
  await git(scene.bare, "update-ref", `refs/heads/maint/${second.id}`, scene.baseSha);
  assert.equal((await scene.openPr(second.id)).json().code, "branch_moved");
  assert.equal(await git(scene.bare, "rev-parse", `refs/heads/maint/${second.id}`), scene.baseSha);
});

test("a branch that is gone with its bundle cannot be pushed again", async () => {
  await using scene = await openHandoverScene();
  const run = await scene.pushedRun(REPAIR);
  await git(scene.bare, "update-ref", "-d", `refs/heads/maint/${run.id}`);
  await scene.blobs.sweep(Number.POSITIVE_INFINITY, async () => false);
  assert.equal((await scene.openPr(run.id)).json().code, "branch_gone");
});

test("a hundred who ask at once, with a forge that fails, get one pull request", async () => {
  await using scene = await openHandoverScene();
  const run = await scene.pushedRun(REPAIR);
  for (const fault of ["error_after_effect"] as const) void scene.forge.failNext(fault);
  const answers = await Promise.all(Array.from({ length: 100 }, () => scene.openPr(run.id)));
  assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
  assert.deepEqual([...new Set(answers.map((answer) => answer.json().pr.number))], [1]);
  assert.equal(scene.forge.pulls.all.length, 1);
});
