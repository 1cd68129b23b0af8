/** What a check token opens: the clone of its own check while it runs, and nothing else. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { claimCheck, newCheck } from "../../src/domain/repo-checks.ts";
import { git, openHandoverScene } from "../support/delivery-fixture.ts";

const HOUR_MS = 3_600_000;

async function openCheckScene() {
  const scene = await openHandoverScene();
  const { panel, owner, repo, url, handover } = scene;
  const scope = { owner, repoId: repo.id, checkId: "chk_1" };
  const setRunning = (id: string) =>
    panel.store.change(owner, async ({ repos, checks }) => {
      const record = (await repos.find(repo.id)) ?? assert.fail();
      const pending = newCheck(record, { id, now: panel.now() });
      await checks.save(claimCheck(pending, { workerId: "wrk_1", deadline: panel.now() + HOUR_MS }));
    });
  await setRunning("chk_1");
  return {
    ...scene,
    scope,
    setRunning,
    mint: (change: object = {}) => handover.checkTokens.mint({ ...scope, ...change }, panel.now() + HOUR_MS),
    gitWith: (token: string, ...words: readonly string[]) =>
      git(scene.local, "-c", `http.extraHeader=Authorization: Bearer ${token}`, ...words),
    refs: (token: string, id = "chk_1") =>
      fetch(`${url}/api/worker/checks/${id}/git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Bearer ${token}` },
      }),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

test("clones the default branch and no other one", async () => {
  await using scene = await openCheckScene();
  const clone = join(scene.local, "..", "clone");
  const address = `${scene.url}/api/worker/checks/chk_1/git`;
  await scene.gitWith(scene.mint(), "clone", "--quiet", address, clone);
  assert.equal(await git(clone, "rev-parse", "HEAD"), scene.baseSha);
  assert.equal(await git(clone, "branch", "--remotes", "--format=%(refname:lstrip=2)"), "origin/HEAD\norigin/main");
});

test("refuses a push", async () => {
  await using scene = await openCheckScene();
  const address = `${scene.url}/api/worker/checks/chk_1/git`;
  await assert.rejects(scene.gitWith(scene.mint(), "push", address, "main:refs/heads/stolen"));
  const pushing = await fetch(`${address}/info/refs?service=git-receive-pack`, {
    headers: { authorization: `Bearer ${scene.mint()}` },
  });
  assert.equal(pushing.status, 400);
  assert.equal(await git(scene.bare, "branch", "--list", "stolen"), "");
});

test("answers 401 to a token that is forged, expired, or of another account, repo or check", async () => {
  await using scene = await openCheckScene();
  const { handover, panel, free, scope } = scene;
  const token = scene.mint();
  assert.equal((await scene.refs(token)).status, 200);
  const forged = token.replace(/\.(.)/, (_, first) => `.${first === "A" ? "B" : "A"}`);
  const expired = handover.checkTokens.mint(scope, panel.now());
  const others = [{ owner: free.account_id }, { repoId: "rep_other" }, { checkId: "chk_2" }].map(scene.mint);
  for (const bad of [forged, expired, ...others, "ct_", scene.token, ""])
    assert.equal((await scene.refs(bad)).status, 401);
});

test("answers 404 under another id, and once the check does not run", async () => {
  await using scene = await openCheckScene();
  const token = scene.mint();
  assert.equal((await scene.refs(token, "chk_2")).status, 404);
  await scene.setRunning("chk_2");
  assert.equal((await scene.refs(token)).status, 401, "its check has another id by now");
  const { panel, owner, repo } = scene;
  await panel.store.change(owner, async ({ checks, repos }) => {
    const record = (await repos.find(repo.id)) ?? assert.fail();
    await checks.save(newCheck(record, { id: "chk_2", now: panel.now() }));
  });
  assert.equal((await scene.refs(scene.mint({ checkId: "chk_2" }), "chk_2")).status, 404);
});

test("opens neither the API nor a run, and a run token opens no check", async () => {
  await using scene = await openCheckScene();
  const { run, runToken } = await scene.heldRun();
  const token = scene.mint();
  const statusOf = async (method: "GET" | "POST" | "PUT", path: string, bearer = token) =>
    (await scene.ask(method, path, { token: bearer })).statusCode;
  for (const path of ["/api/repos", "/api/account", "/api/account/license", `/api/repos/${scene.repo.id}`])
    assert.equal(await statusOf("GET", path), 401);
  assert.equal(await statusOf("GET", `/api/worker/runs/${run.id}/git/info/refs?service=git-upload-pack`), 401);
  assert.equal(await statusOf("PUT", `/api/worker/runs/${run.id}/bundle?epoch=1`), 401);
  assert.equal((await scene.refs(runToken)).status, 401);
});
