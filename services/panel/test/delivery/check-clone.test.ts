/** A check token opens only the clone of its own check while it runs. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { claimCheck, newCheck } from "../../src/domain/repo-checks.ts";
import { git, createDeliveryFixture } from "../support/delivery-fixture.ts";

const HOUR_MS = 3_600_000;

async function createCheckFixture() {
  const fixture = await createDeliveryFixture();
  const { panel, owner, repo, url, deliveryServices } = fixture;
  const scope = { owner, repoId: repo.id, checkId: "chk_1" };
  const setRunning = (id: string) =>
    panel.store.change(owner, async ({ repos, checks }) => {
      const record = (await repos.find(repo.id)) ?? assert.fail();
      const pending = newCheck(record, { id, now: panel.now() });
      await checks.save(claimCheck(pending, { workerId: "wrk_1", deadline: panel.now() + HOUR_MS }));
    });
  await setRunning("chk_1");
  return {
    ...fixture,
    scope,
    setRunning,
    mint: (change: object = {}) => deliveryServices.checkTokens.mint({ ...scope, ...change }, panel.now() + HOUR_MS),
    gitWith: (token: string, ...words: readonly string[]) =>
      git(fixture.local, "-c", `http.extraHeader=Authorization: Bearer ${token}`, ...words),
    refs: (token: string, id = "chk_1") =>
      fetch(`${url}/api/worker/checks/${id}/git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Bearer ${token}` },
      }),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

test("clones only the default branch", async () => {
  await using fixture = await createCheckFixture();
  const clone = join(fixture.local, "..", "clone");
  const address = `${fixture.url}/api/worker/checks/chk_1/git`;
  await fixture.gitWith(fixture.mint(), "clone", "--quiet", address, clone);
  assert.equal(await git(clone, "rev-parse", "HEAD"), fixture.baseSha);
  assert.equal(await git(clone, "branch", "--remotes", "--format=%(refname:lstrip=2)"), "origin/HEAD\norigin/main");
});

test("refuses a push", async () => {
  await using fixture = await createCheckFixture();
  const address = `${fixture.url}/api/worker/checks/chk_1/git`;
  await assert.rejects(fixture.gitWith(fixture.mint(), "push", address, "main:refs/heads/stolen"));
  const pushing = await fetch(`${address}/info/refs?service=git-receive-pack`, {
    headers: { authorization: `Bearer ${fixture.mint()}` },
  });
  assert.equal(pushing.status, 400);
  assert.equal(await git(fixture.bare, "branch", "--list", "stolen"), "");
});

test("answers 401 to a token that is forged, expired, or of another account, repo or check", async () => {
  await using fixture = await createCheckFixture();
  const { deliveryServices, panel, free, scope } = fixture;
  const token = fixture.mint();
  assert.equal((await fixture.refs(token)).status, 200);
  const forged = token.replace(/\.(.)/, (_, first) => `.${first === "A" ? "B" : "A"}`);
  const expired = deliveryServices.checkTokens.mint(scope, panel.now());
  const others = [{ owner: free.account_id }, { repoId: "rep_other" }, { checkId: "chk_2" }].map(fixture.mint);
  for (const bad of [forged, expired, ...others, "ct_", fixture.token, ""])
    assert.equal((await fixture.refs(bad)).status, 401);
});

test("answers 404 under another id, and after the check has ended", async () => {
  await using fixture = await createCheckFixture();
  const token = fixture.mint();
  assert.equal((await fixture.refs(token, "chk_2")).status, 404);
  await fixture.setRunning("chk_2");
  assert.equal((await fixture.refs(token)).status, 401, "its check has another id by now");
  const { panel, owner, repo } = fixture;
  await panel.store.change(owner, async ({ checks, repos }) => {
    const record = (await repos.find(repo.id)) ?? assert.fail();
    await checks.save(newCheck(record, { id: "chk_2", now: panel.now() }));
  });
  assert.equal((await fixture.refs(fixture.mint({ checkId: "chk_2" }), "chk_2")).status, 404);
});

test("rejects a check token on the API and on runs, and a run token on checks", async () => {
  await using fixture = await createCheckFixture();
  const { run, runToken } = await fixture.leasedRun();
  const token = fixture.mint();
  const statusOf = async (method: "GET" | "POST" | "PUT", path: string, bearer = token) =>
    (await fixture.ask(method, path, { token: bearer })).statusCode;
  for (const path of ["/api/repos", "/api/account", "/api/account/license", `/api/repos/${fixture.repo.id}`])
    assert.equal(await statusOf("GET", path), 401);
  assert.equal(await statusOf("GET", `/api/worker/runs/${run.id}/git/info/refs?service=git-upload-pack`), 401);
  assert.equal(await statusOf("PUT", `/api/worker/runs/${run.id}/bundle?epoch=1`), 401);
  assert.equal((await fixture.refs(runToken)).status, 401);
});
