import assert from "node:assert/strict";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ask, openFixture } from "./support/create-test-panel.ts";

test("creates two accounts and private credential files on the first start", async () => {
  await using fixture = await openFixture();
  const { url } = await fixture.start();
  const { url: written, pro, free } = await fixture.credentials();
  assert.equal(written, url);
  for (const [plan, account] of Object.entries({ pro, free })) {
    const { body } = await ask(url, "/api/account", { token: account.access_token });
    assert.deepEqual([body.plan.id, body.email], [plan, account.email]);
    const license = await ask(url, "/api/account/license", { token: account.access_token });
    assert.equal(license.body.license_key, account.license_key);
    const signedIn = await ask(url, "/api/auth/login", {
      method: "POST",
      body: { email: account.email, password: account.password },
    });
    assert.equal(signedIn.status, 200);
  }
  for (const file of ["credentials.json", "secret-key", "panel.db"])
    assert.equal((await stat(join(fixture.data, file))).mode & 0o777, 0o600, file);
  for (const path of ["/livez", "/readyz", "/metrics", "/openapi.json", "/docs", "/llms.txt"])
    assert.equal((await fetch(url + path)).status, 200, path);
});

test("keeps secrets on later starts, and writes the current license key and a valid token", async () => {
  await using fixture = await openFixture();
  const first = await fixture.start();
  const before = await fixture.credentials();
  const { access_token: token } = before.pro;
  const rotated = await ask(first.url, "/api/account/license", { token, method: "POST" });
  await first.stop();
  await first.stop();
  const second = await fixture.start();
  const pro = { ...before.pro, license_key: rotated.body.license_key };
  assert.deepEqual(await fixture.credentials(), { ...before, pro, url: second.url });
  const tokens = await ask(second.url, "/api/account/tokens", { token });
  assert.equal(tokens.body.items.length, 1);
  await ask(second.url, `/api/account/tokens/${tokens.body.items[0].id}`, { token, method: "DELETE" });
  await second.stop();
  const third = await fixture.start();
  const after = (await fixture.credentials()).pro;
  assert.notEqual(after.access_token, token);
  assert.equal(after.password, before.pro.password);
  assert.equal((await ask(third.url, "/api/account", { token: after.access_token })).status, 200);
});

test("keeps the accounts and issues new tokens without passwords when credentials.json is lost", async () => {
  await using fixture = await openFixture();
  const first = await fixture.start();
  const before = await fixture.credentials();
  await first.stop();
  await rm(join(fixture.data, "credentials.json"));
  const { url } = await fixture.start();
  const { pro } = await fixture.credentials();
  assert.deepEqual([pro.password, pro.license_key], [undefined, before.pro.license_key]);
  assert.equal((await ask(url, "/api/account", { token: pro.access_token })).status, 200);
  const { email, password } = before.pro;
  assert.equal((await ask(url, "/api/auth/login", { method: "POST", body: { email, password } })).status, 200);
});

test("requires a secret in production, and creates no accounts", async () => {
  await using fixture = await openFixture();
  await assert.rejects(fixture.start({ NODE_ENV: "production" }), /TRIPTYCH_SECRET/);
  const production = { NODE_ENV: "production", TRIPTYCH_SECRET: "a secret of the tests, number 0123456789" };
  const { url } = await fixture.start(production);
  await assert.rejects(readFile(join(fixture.data, "credentials.json")), /ENOENT/);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const made = await fixture.run(["create-account", "--email", "One@Example.org"], production);
  const account = JSON.parse(made.stdout);
  assert.deepEqual([account.email, account.plan], ["one@example.org", "pro"]);
  assert.equal((await ask(url, "/api/account", { token: account.access_token })).body.id, account.account_id);
  const secret = { token: account.access_token, method: "POST", body: { url: `file://${fixture.data}/demo/x.git` } };
  assert.equal((await ask(url, "/api/repos", secret)).body.code, "local_repo_forbidden");
});

test("rejects a second panel on one SQLite store, while the first continues", async () => {
  await using fixture = await openFixture();
  const { url } = await fixture.start();
  await assert.rejects(fixture.start(), /Another process holds .*panel\.lock/);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
});

test("reports invalid variables by name, never by value", async () => {
  await using fixture = await openFixture();
  for (const [name, value] of [
    ["PANEL_PORT", "planted-value"],
    ["PANEL_URL", "ftp://planted-value"],
    ["PANEL_LEASE_S", "601"],
    ["PANEL_EMBEDDED_WORKER", "planted-value"],
    ["PANEL_RATE_ALL", "0"],
    ["TRIPTYCH_SECRET", "planted-value"],
  ] as const)
    await assert.rejects(fixture.start({ [name]: value }), (error) => {
      assert.ok(error instanceof Error);
      return error.message.includes(name) && !error.message.includes("planted-value");
    });
});

test("applies the configured rate limits to every account", async () => {
  await using fixture = await openFixture();
  const { url } = await fixture.start({ PANEL_RATE_ALL: "2" });
  const { pro } = await fixture.credentials();
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++)
    statuses.push((await ask(url, "/api/account", { token: pro.access_token })).status);
  assert.deepEqual(statuses, [200, 200, 429]);
});
