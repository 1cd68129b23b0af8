import assert from "node:assert/strict";
import { test } from "node:test";
import { panelContract } from "@triptych/contracts";
import { createFixture } from "../support/create-fixture.ts";

const REPO = { url: "https://me:geheim@git.example.org/acme/sum.git", focus: "Tidy up." };

test("adds a repo, updates it by revision, and creates, cancels and retries its runs", async () => {
  await using fixture = await createFixture();
  const token = fixture.pro.access_token;
  const made = await fixture.ask("POST", "/api/repos", { token, body: REPO });
  assert.equal(made.statusCode, 201, made.body);
  const repo = made.json();
  assert.deepEqual([repo.url, repo.credential.kind], ["https://git.example.org/acme/sum.git", "basic"]);
  assert.equal((await fixture.ask("POST", "/api/repos", { token, body: REPO })).json().repo_id, repo.id);
  const at = `/api/repos/${repo.id}`;
  const patch = { limits: { max_turns: null }, team: "pair" };
  const patched = await fixture.ask("PATCH", at, { token, body: patch, headers: { "if-match": '"1"' } });
  assert.deepEqual(
    [patched.json().limits.max_turns, patched.json().team.preset, patched.json().revision],
    [null, "pair", 2],
  );
  const stale = await fixture.ask("PATCH", at, { token, body: patch, headers: { "if-match": '"1"' } });
  assert.equal(stale.json().code, "revision_conflict");

  const headers = { "idempotency-key": "k1" };
  const run = await fixture.ask("POST", `${at}/run`, { token, headers, body: {} });
  assert.deepEqual([run.statusCode, run.json().state, run.json().warnings], [202, "queued", ["no_worker_connected"]]);
  const again = await fixture.ask("POST", `${at}/run`, { token, headers, body: {} });
  assert.deepEqual([again.json().id, again.headers["idempotency-replayed"]], [run.json().id, "true"]);
  assert.equal((await fixture.ask("POST", `${at}/run`, { token, body: {} })).json().run_id, run.json().id);
  const cancelled = await fixture.ask("POST", `/api/runs/${run.json().id}/cancel`, { token });
  assert.deepEqual([cancelled.statusCode, cancelled.json().state], [202, "cancelled"]);
  assert.equal((await fixture.ask("POST", `/api/runs/${run.json().id}/cancel`, { token })).statusCode, 200);
  const retried = await fixture.ask("POST", `/api/runs/${run.json().id}/retry`, { token, body: {} });
  assert.equal(retried.json().trigger?.retry_of, run.json().id, retried.body);
  assert.equal((await fixture.ask("GET", "/api/runs?phase=active", { token })).json().items.length, 1);
  assert.equal((await fixture.ask("DELETE", at, { token })).statusCode, 204);
  assert.equal((await fixture.ask("GET", at, { token })).statusCode, 404);
});

test("answers 404 to another account on every route with an id, and 401 without a credential", async () => {
  await using fixture = await createFixture();
  const [token, stranger] = [fixture.pro.access_token, fixture.free.access_token];
  const repo = (await fixture.ask("POST", "/api/repos", { token, body: REPO })).json();
  const run = (await fixture.ask("POST", `/api/repos/${repo.id}/run`, { token, body: {} })).json();
  const memory = (
    await fixture.ask("POST", `/api/repos/${repo.id}/memories`, { token, body: { text: "Use tabs." } })
  ).json();
  const [key] = (await fixture.ask("GET", "/api/account/tokens", { token })).json().items;
  for (const { method, path, auth } of panelContract.endpoints) {
    const id = path.includes("/runs/") ? run.id : path.includes("tokens") ? key.id : repo.id;
    const url = path.replace("{id}", id).replace("{mid}", memory.id);
    const body = method === "PATCH" || method === "POST" ? {} : undefined;
    const filled = path.endsWith("/memories") ? { text: "x" } : path.includes("/workers/") ? { enabled: false } : body;
    const sent = body === undefined ? undefined : filled;
    if (auth !== null) assert.equal((await fixture.ask(method, url, { body: sent })).statusCode, 401, path);
    if (path.includes("{id}"))
      assert.equal(
        (await fixture.ask(method, url, { token: stranger, body: sent })).statusCode,
        // Worker routes accept only a run or check token.
        auth === "run" || auth === "check" ? 401 : 404,
        `${method} ${path}`,
      );
  }
  assert.equal((await fixture.ask("GET", `/api/runs?repo_id=${repo.id}`, { token: stranger })).statusCode, 404);
  assert.equal((await fixture.ask("GET", `/api/runs/${run.id}`, { token })).json().state, "queued");
});

test("requires a plan for explore, and lists all errors of invalid input", async () => {
  await using fixture = await createFixture();
  const token = fixture.free.access_token;
  const repo = (await fixture.ask("POST", "/api/repos", { token, body: REPO })).json();
  const refused = await fixture.ask("POST", `/api/repos/${repo.id}/explore`, { token, body: {} });
  assert.deepEqual([refused.statusCode, refused.json().required_plan], [403, "pro"]);
  const bad = await fixture.ask("POST", "/api/repos", {
    token,
    body: { url: "http://10.0.0.1/x", focu: "y", limits: { max_turns: 0 } },
  });
  assert.deepEqual(
    bad
      .json()
      .errors.map(({ path }: { path: string }) => path)
      .toSorted(),
    ["/focu", "/limits/max_turns", "/url"],
  );
  const nothing = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const url = `/api/repos/${repo.id}/run`;
  const response = await fixture.server.fastify.inject({ method: "POST", url, headers: nothing });
  assert.equal(response.statusCode, 202, response.body);
  const team = { members: [{ role: "reviewer", cli: "command" }] };
  const unable = await fixture.ask("POST", `/api/repos/${repo.id}/run`, { token, body: { focus: "", team } });
  assert.deepEqual(
    unable.json().errors.map(({ path }: { path: string }) => path),
    ["/focus", "/team/members", "/team/members/0/command"],
  );
});

test("rotates the license key on request, accepts one key at a time, and leaks it in no log or row", async () => {
  await using fixture = await createFixture();
  const { access_token: token, license_key: first } = fixture.pro;
  const path = "/api/account/license";
  const read = async () => (await fixture.ask("GET", path, { token })).json().license_key;
  assert.equal(await read(), first);
  const rotated = await fixture.ask("POST", `${path}?notify_workers=1`, {
    token,
    body: "{broken",
    headers: { "content-type": "text/plain" },
  });
  assert.deepEqual([rotated.statusCode, rotated.json().notified_workers_count], [200, 0], rotated.body);
  const second = rotated.json().license_key;
  assert.ok(second !== first && (await read()) === second);
  const broken = await fixture.ask("POST", path, { token, body: "{broken" });
  assert.deepEqual([broken.statusCode, broken.json().code, await read()], [400, "invalid_json", second]);
  assert.equal((await fixture.ask("POST", path, { token, body: "x".repeat(16_385) })).json().code, "too_large");
  for (const method of ["HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
    const other = await fixture.ask(method, path);
    assert.deepEqual(
      [other.statusCode, other.headers.allow, other.headers.pragma],
      [405, "GET, POST", "no-cache"],
      method,
    );
    const written = await fixture.ask(method, "/api/account/%6cicense");
    assert.deepEqual([written.statusCode, written.headers.allow], [405, "GET, POST"], `${method}, written otherwise`);
  }
  const rows = JSON.stringify([
    await fixture.database.db.selectFrom("license_key").selectAll().execute(),
    await fixture.database.db.selectFrom("audit").selectAll().execute(),
  ]);
  for (const key of [first, second]) assert.ok(!rows.includes(key) && !fixture.lines.join("").includes(key));
});

test("accepts session changes from own pages only, and signs out", async () => {
  await using fixture = await createFixture();
  const wrong = await fixture.ask("POST", "/api/auth/login", { body: { email: fixture.pro.email, password: "wrong" } });
  assert.equal(wrong.statusCode, 401);
  const entered = await fixture.ask("POST", "/api/auth/login", {
    body: { email: fixture.pro.email, password: "right" },
  });
  const [cookie = "", ...attributes] = String(entered.headers["set-cookie"]).split("; ");
  assert.deepEqual(attributes.toSorted(), ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"]);
  const add = (headers: Record<string, string>) =>
    fixture.ask("POST", "/api/repos", { body: REPO, headers: { cookie, ...headers } });
  assert.equal((await add({})).json().code, "csrf_failed");
  assert.equal((await add({ origin: "http://evil.test", "x-csrf-token": entered.json().csrf_token })).statusCode, 403);
  assert.equal((await add({ "x-csrf-token": entered.json().csrf_token })).statusCode, 201);
  const out = await fixture.ask("POST", "/api/auth/logout", { headers: { cookie, origin: "http://panel.test" } });
  assert.deepEqual(
    [out.statusCode, (await fixture.ask("GET", "/api/auth/session", { headers: { cookie } })).statusCode],
    [204, 401],
  );
  assert.match(String(out.headers["set-cookie"]), /^\w+=; (?=.*Max-Age=0)(?=.*HttpOnly)/);
});

test("answers a probe without a worker with a retry time", async () => {
  await using fixture = await createFixture();
  const request = { token: fixture.pro.access_token, body: { cli: "codex", model: "gpt-x" } };
  const answer = await fixture.ask("POST", "/api/worker/probe", request);
  assert.deepEqual([answer.statusCode, answer.headers["retry-after"]], [503, "30"]);
});

test("documents scope errors on every route that returns them", async () => {
  await using fixture = await createFixture();
  const token = fixture.pro.access_token;
  const body = { name: "writes only", scopes: ["write"] };
  const writes = (await fixture.ask("POST", "/api/account/tokens", { token, body })).json().token;
  const repo = (await fixture.ask("POST", "/api/repos", { token, body: REPO })).json();
  const run = (await fixture.ask("POST", `/api/repos/${repo.id}/run`, { token, body: {} })).json();
  const refused: string[] = [];
  for (const { id, method, path, auth, problems } of panelContract.endpoints) {
    if (auth !== "account" || method !== "GET") continue;
    const url = path
      .replace("{id}", path.includes("/runs/") ? run.id : repo.id)
      .replace("/models", "/models?cli=codex");
    const answer = await fixture.ask("GET", url, { token: writes });
    if (answer.statusCode === 403) refused.push(id);
    if (answer.statusCode === 403) assert.ok(problems.includes(answer.json().code), `${id} ${answer.body}`);
  }
  for (const id of ["listRepos", "getRun", "readBus", "watchChanges"]) assert.ok(refused.includes(id), id);
});

test("documents the problem code for a body on routes without one", async () => {
  await using fixture = await createFixture();
  const request = { token: fixture.pro.access_token, body: "x", headers: { "content-type": "text/plain" } };
  const bare = panelContract.endpoints.filter(({ takesNoBody, method }) => takesNoBody === true && method !== "GET");
  assert.ok(bare.length > 4);
  for (const { id, method, path, problems } of bare) {
    const answer = await fixture.ask(method, path.replaceAll(/\{\w+\}/g, "x"), request);
    assert.ok(problems.includes(answer.json().code), `${id} ${answer.body}`);
  }
});
