import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForgeFault } from "@triptych/fake-forge";
import { FORGE_TOKEN, git, createDeliveryFixture } from "../support/delivery-fixture.ts";

type Fixture = Awaited<ReturnType<typeof createDeliveryFixture>>;

/** Unique change per test of this file. */
let changes = 0;
const repair = () => ({ "sum.js": `export const sum = (a, b) => a + b; // ${++changes}\n` });

const pullsOf = ({ forge }: Fixture, runId: string) =>
  forge.pulls.all.filter(({ head }) => head.ref === `maint/${runId}`);

/** Opens a pull request at the forge; returns its number. */
function openByHand({ forge }: Fixture, runId: string): number {
  const body = { title: "By hand", head: `acme:maint/${runId}`, base: "main" };
  forge.pulls.handle("POST", "/pulls", { query: new URLSearchParams(), body });
  return forge.pulls.all.length;
}

const FAULTS: readonly (readonly [ForgeFault, number])[] = [
  ["error", 502],
  ["error_after_effect", 200],
  ["lost_answer", 200],
  ["rate_limited", 502],
];

for (const dialect of ["github", "gitlab", "gitea"] as const)
  test(dialect, async (t) => {
    await using fixture = await createDeliveryFixture({ dialect });

    await t.test("creates a pull request once and returns it to later requests", async () => {
      const run = await fixture.pushedRun(repair());
      assert.equal(run.state, "pushed");
      const made = await fixture.openPr(run.id);
      assert.equal(made.statusCode, 201, made.body);
      assert.deepEqual([made.json().state, made.json().phase, made.json().pr.state], ["pr_open", "success", "open"]);
      const again = await fixture.openPr(run.id);
      assert.deepEqual([again.statusCode, again.json().pr.number], [200, 1]);
      const [pull] = fixture.forge.pulls.all;
      assert.equal(fixture.forge.pulls.all.length, 1);
      assert.ok(pull?.body.endsWith(`<!-- panel-run: ${run.id} -->`), pull?.body);
      assert.equal(pull?.draft, false);
    });

    await t.test("adopts an open pull request, and does not recreate a merged one", async () => {
      const run = await fixture.placedRun();
      openByHand(fixture, run.id);
      const adopted = await fixture.openPr(run.id);
      assert.deepEqual([adopted.statusCode, adopted.json().pr.adopted], [200, true]);
      assert.equal(pullsOf(fixture, run.id).length, 1);
      const second = await fixture.placedRun();
      const number = openByHand(fixture, second.id);
      fixture.forge.pulls.close(number, { merged: true });
      const merged = await fixture.openPr(second.id, { reopen: true });
      assert.deepEqual([merged.statusCode, merged.json().code], [409, "pr_closed"]);
      assert.match(merged.json().pr_url, new RegExp(`/pull/${number}$`));
      assert.equal(pullsOf(fixture, second.id).length, 1);
    });

    await t.test("reopens a closed pull request on request", async () => {
      const run = await fixture.placedRun();
      const number = openByHand(fixture, run.id);
      fixture.forge.pulls.close(number, { merged: false });
      assert.equal((await fixture.openPr(run.id)).json().code, "pr_closed");
      const reopened = await fixture.openPr(run.id, { reopen: true });
      const { state, number: itsNumber } = reopened.json().pr;
      assert.deepEqual([reopened.statusCode, state, itsNumber], [200, "open", number]);
    });

    for (const [fault, status] of FAULTS)
      await t.test(`answers ${status} to ${fault} on creation, and creates one pull request in the end`, async () => {
        const run = await fixture.placedRun();
        const happened = fixture.forge.failNext(fault);
        const answer = await fixture.openPr(run.id);
        await happened;
        assert.equal(answer.statusCode, status, answer.body);
        if (fault === "rate_limited") assert.equal(answer.headers["retry-after"], "60");
        if (fault === "error") assert.equal(answer.headers["retry-after"], "10");
        if (status === 502) assert.equal((await fixture.runOf(run.id)).state, "pushed");
        assert.ok([200, 201].includes((await fixture.openPr(run.id)).statusCode));
        assert.equal(pullsOf(fixture, run.id).length, 1);
      });
    assert.deepEqual(fixture.errors, []);
  });

test("whatever the dialect", async (t) => {
  await using fixture = await createDeliveryFixture();

  await t.test("creates no second pull request for the same change of another run", async () => {
    const change = repair();
    const [first, second] = [await fixture.pushedRun(change), await fixture.pushedRun(change)];
    assert.equal((await fixture.openPr(first.id)).statusCode, 201);
    const twin = await fixture.openPr(second.id);
    assert.deepEqual([twin.statusCode, twin.json().code], [409, "duplicate_patch"]);
    assert.match(twin.json().pr_url, /\/pull\/1$/);
  });

  await t.test("pushes a removed branch again, and keeps a moved one", async () => {
    const run = await fixture.pushedRun(repair());
    await git(fixture.bare, "update-ref", "-d", `refs/heads/maint/${run.id}`);
    assert.equal((await fixture.openPr(run.id)).statusCode, 201);
    assert.equal(await git(fixture.bare, "rev-parse", `refs/heads/maint/${run.id}`), run.facts.headSha);
    const second = await fixture.placedRun();
    await git(fixture.bare, "update-ref", `refs/heads/maint/${second.id}`, fixture.baseSha);
    assert.equal((await fixture.openPr(second.id)).json().code, "branch_moved");
    assert.equal(await git(fixture.bare, "rev-parse", `refs/heads/maint/${second.id}`), fixture.baseSha);
  });

  await t.test("reports a rejected credential as a forge error, and leaves the run unchanged", async () => {
    const run = await fixture.placedRun();
    const sign = (token: string) => {
      const body = { credential: { kind: "token", token } };
      return fixture.ask("PATCH", `/api/repos/${fixture.repo.id}`, { token: fixture.token, body });
    };
    await sign("another");
    const refused = await fixture.openPr(run.id);
    assert.deepEqual([refused.statusCode, refused.json().code, refused.json().forge_status], [502, "forge_error", 401]);
    assert.equal(refused.headers["retry-after"], "10");
    assert.equal((await fixture.runOf(run.id)).state, "pushed");
    assert.equal((await sign(FORGE_TOKEN)).statusCode, 200);
    assert.equal((await fixture.openPr(run.id)).statusCode, 201);
  });

  await t.test("prefers the merged pull request of a head over a later closed one", async () => {
    const run = await fixture.placedRun();
    const merged = openByHand(fixture, run.id);
    fixture.forge.pulls.close(merged, { merged: true });
    fixture.forge.pulls.close(openByHand(fixture, run.id), { merged: false });
    const answer = await fixture.openPr(run.id, { reopen: true });
    assert.deepEqual([answer.statusCode, answer.json().code], [409, "pr_closed"]);
    assert.match(answer.json().pr_url, new RegExp(`/pull/${merged}$`));
  });

  await t.test("cannot push a removed branch again without its bundle", async () => {
    const run = await fixture.pushedRun(repair());
    await git(fixture.bare, "update-ref", "-d", `refs/heads/maint/${run.id}`);
    await fixture.blobs.sweep(Number.POSITIVE_INFINITY, async () => false);
    assert.equal((await fixture.openPr(run.id)).json().code, "branch_gone");
  });

  await t.test("redacts a secret quoted in a pull request", async () => {
    const comments = [{ path: "sum.js", line: 1, text: `Use ghp_${"a1B2".repeat(9)} once` }];
    const run = await fixture.placedRun("passed", { review: { approved: false, comments } });
    assert.equal((await fixture.openPr(run.id)).statusCode, 201);
    const [pull] = pullsOf(fixture, run.id);
    assert.match(pull?.body ?? "", /Use \[redacted:github_token\] once/);
    assert.doesNotMatch(pull?.body ?? "", /ghp_a/);
  });

  await t.test("creates no pull request for an unpushed run, or on plain git", async () => {
    const { run } = await fixture.leasedRun();
    const early = await fixture.openPr(run.id);
    assert.deepEqual(
      [early.statusCode, early.json().code, early.json().current_state],
      [409, "run_not_pushed", "verifying"],
    );
    const pushed = await fixture.placedRun();
    await fixture.ask("PATCH", `/api/repos/${fixture.repo.id}`, { token: fixture.token, body: { provider: "git" } });
    const plain = await fixture.openPr(pushed.id);
    assert.deepEqual([plain.json().code, plain.json().branch], ["pr_unsupported", `maint/${pushed.id}`]);
    assert.match(plain.json().request_pull, new RegExp(pushed.facts.headSha ?? "none"));
  });
});
