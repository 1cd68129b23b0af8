/** Access token, license key and run token each open only their own routes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { panelContract } from "@triptych/contracts";
import { ask, openFixture } from "./support/create-test-panel.ts";
import { HELLO, openWorkerSocket } from "./support/worker-socket.ts";

test("accepts each kind of credential only on its own routes", async () => {
  await using fixture = await openFixture();
  const { url } = await fixture.start();
  const { access_token: token, license_key: key } = (await fixture.credentials()).pro;
  const [repo] = (await ask(url, "/api/repos", { token })).body.items;
  const team = { members: [{ role: "coder", cli: "command", command: ["true"] }] };
  const start = async (focus: string, more = {}) => {
    const run = await ask(url, `/api/repos/${repo.id}/run`, { token, method: "POST", body: { focus, team, ...more } });
    return String(run.body.id);
  };
  const [first, other] = [await start("One."), await start("Other.", { parallel: true })];
  const worker = await openWorkerSocket(url, key);
  const agents = [{ cli: "command", version: "1", adapter: "command", models: [] }];
  worker.say({ ...HELLO, agents, isolation: "worktree" });
  const { run_id, run_token, repo_id } = await worker.next("assign");
  assert.deepEqual([[first, other].includes(run_id), repo_id], [true, repo.id]);
  const elsewhere = run_id === first ? other : first;

  const statusOf = async (method: string, path: string, bearer: string) =>
    (await ask(url, path, { token: bearer, method })).status;
  const opened: string[] = [];
  for (const { auth, method, path: template } of panelContract.endpoints) {
    const path = template.replace("{id}", auth === "run" ? run_id : "x").replace(/\{\w+\}/g, "x");
    const refused = auth === "account" ? [key, run_token] : auth === "worker" ? [token, run_token] : [token, key];
    if (auth === null) continue;
    for (const bearer of refused) if ((await statusOf(method, path, bearer)) !== 401) opened.push(`${method} ${path}`);
  }
  assert.deepEqual(opened, []);
  const refs = (id: string) => `/api/worker/runs/${id}/git/info/refs?service=git-upload-pack`;
  const read = await fetch(url + refs(run_id), { headers: { Authorization: `Bearer ${run_token}` } });
  assert.equal(read.status, 200);
  // Other runs do not exist for this token.
  assert.equal(await statusOf("GET", refs(elsewhere), run_token), 404);
  assert.equal(await statusOf("GET", "/api/account", `${token}x`), 401);
  worker.socket.terminate();
  await worker.closed;
});
