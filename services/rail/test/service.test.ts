import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase, sql } from "@triptych/storage";
import { builtWebSite } from "@triptych/web/build";
import { start } from "../src/service.ts";
import { RAIL_MIGRATIONS, RAIL_SCHEMA } from "../src/store/migrations.ts";

/** A data folder for rails started as by the command line. */
async function openInstallation() {
  const folder = await mkdtemp(join(tmpdir(), "triptych-rail-"));
  const data = join(folder, "data");
  const running = new AsyncDisposableStack();
  return {
    data,
    async start(more: Readonly<Record<string, string>> = {}, walletFolder?: Promise<string | null>) {
      const environment = { TRIPTYCH_DATA: data, RAIL_PORT: "0", LOG_LEVEL: "silent", ...more };
      const rail = await start(environment, { ...(walletFolder && { walletFolder }) });
      running.defer(() => rail.stop());
      return rail;
    },
    credentials: async () => JSON.parse(await readFile(join(data, "credentials.json"), "utf8")).rail,
    async [Symbol.asyncDispose]() {
      await running.disposeAsync();
      await rm(folder, { recursive: true });
    },
  };
}

const SECRET = "a secret of the tests, number 0123456789";

test("the first start writes credentials, readable by their owner only, and the demo wallet can be charged", async () => {
  await using installation = await openInstallation();
  const { url } = await installation.start({}, builtWebSite("wallet"));
  const credentials = await installation.credentials();
  assert.equal(credentials.url, url);
  assert.match(credentials.admin_token, /^rail_admin_/);
  assert.equal(credentials.service_token, (await readFile(join(installation.data, "service-token"), "utf8")).trim());
  for (const file of ["credentials.json", "service-token", "secret-key", "rail.db"])
    assert.equal((await stat(join(installation.data, file))).mode & 0o777, 0o600, file);
  const wallet = await fetch(`${url}/v1/wallets/me`, { headers: { "X-Rail-Wallet": credentials.demo_wallet_token } });
  assert.deepEqual([wallet.status, JSON.parse(await wallet.text()).balance_micro], [200, 100_000]);
  for (const path of [
    "/livez",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/docs",
    "/llms.txt",
    "/wallet",
    "/.well-known/jwks.json",
  ])
    assert.equal((await fetch(url + path)).status, 200, path);
});

test("serves the wallet pages compressed, with an ETag; without them, their paths link to the API with 503", async () => {
  await using installation = await openInstallation();
  const built = await installation.start({}, builtWebSite("wallet"));
  for (const path of ["/wallet", "/wallet/link", "/verify"]) {
    const page = await fetch(built.url + path);
    assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'.*trusted-types 'none'/);
    const etag = page.headers.get("etag") ?? "";
    const [, script = ""] = /src="(\/wallet\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? [];
    assert.equal((await fetch(built.url + path, { headers: { "If-None-Match": etag } })).status, 304);
    const asset = await fetch(built.url + script, { headers: { "Accept-Encoding": "br" } });
    assert.equal(asset.headers.get("content-encoding"), "br");
    assert.match(asset.headers.get("cache-control") ?? "", /immutable/);
    // The page of a mail link takes the code out of its own address, so that it is never sent in a URL.
    if (path === "/wallet/link") assert.match(await asset.text(), /history\.replaceState/);
  }
  await built.stop();
  const bare = await installation.start();
  const missing = await fetch(`${bare.url}/wallet`);
  assert.equal(missing.status, 503);
  assert.match(await missing.text(), /does not include the wallet page.*<a href="\/docs">/);
  assert.equal((await fetch(`${bare.url}/wallet/assets/index.js`)).status, 404);
});

test("a restart keeps wallets, tokens and signing keys", async () => {
  await using installation = await openInstallation();
  const first = await installation.start();
  const before = await installation.credentials();
  const jwks = await (await fetch(`${first.url}/.well-known/jwks.json`)).text();
  await first.stop();
  await first.stop();
  const second = await installation.start();
  assert.deepEqual(await installation.credentials(), { ...before, url: second.url });
  assert.equal(await (await fetch(`${second.url}/.well-known/jwks.json`)).text(), jwks);
});

test("the test provider refuses to run in production or on a public address, unless explicitly allowed", async () => {
  await using installation = await openInstallation();
  await assert.rejects(
    installation.start({ NODE_ENV: "production", TRIPTYCH_SECRET: SECRET }),
    /does not start with it in production/,
  );
  for (const HOST of ["0.0.0.0", "::", "192.0.2.7"])
    await assert.rejects(installation.start({ HOST }), /on a public address/, HOST);
  const allowed = await installation.start({ HOST: "0.0.0.0", RAIL_ALLOW_TEST_PAYMENTS: "1" });
  assert.equal((await fetch(`${allowed.url.replace("0.0.0.0", "127.0.0.1")}/livez`)).status, 200);
});

test("production creates nothing but the service token, and requires a secret", async () => {
  await using installation = await openInstallation();
  const production = { NODE_ENV: "production", RAIL_PROVIDER: "manual" };
  await assert.rejects(installation.start(production), /TRIPTYCH_SECRET/);
  const { url } = await installation.start({ ...production, TRIPTYCH_SECRET: SECRET });
  await assert.rejects(installation.credentials(), /ENOENT/);
  await assert.rejects(stat(join(installation.data, "secret-key")), /ENOENT/);
  assert.equal(
    (await fetch(`${url}/v1/admin/keys`, { headers: { Authorization: "Bearer rail_admin_x" } })).status,
    401,
  );
  const made = await fetch(`${url}/v1/wallets`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"email":"a@example.org"}',
  });
  assert.match(await made.text(), /rail_live_/);
});

test("a second rail on the same SQLite file does not start, and the first one continues", async () => {
  await using installation = await openInstallation();
  const { url } = await installation.start();
  await assert.rejects(installation.start(), /Another process holds .*rail\.lock/);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
});

test("refuses a store of a newer version or of the other mode with a clear message", async () => {
  await using installation = await openInstallation();
  await (await installation.start()).stop();
  await assert.rejects(installation.start({ RAIL_PROVIDER: "manual" }), /contains test-mode wallets/);
  {
    const url = `sqlite:${join(installation.data, "rail.db")}`;
    await using database = await openDatabase<object>({ url, schema: RAIL_SCHEMA, migrations: RAIL_MIGRATIONS });
    const { rows } = await sql<{ name: string }>`select name from sqlite_master where name like '%migration%'`.execute(
      database.db,
    );
    const [columns] = (
      await sql.raw<Record<string, unknown>>(`select * from ${rows[0]?.name} limit 1`).execute(database.db)
    ).rows;
    assert.ok(columns !== undefined);
    const newer = { ...columns, name: "9999-from-the-future" };
    const names = Object.keys(newer).map((name) => `"${name}"`);
    const values = Object.values(newer).map((value) => (typeof value === "number" ? value + 9000 : `'${value}'`));
    await sql.raw(`insert into ${rows[0]?.name} (${names.join()}) values (${values.join()})`).execute(database.db);
  }
  await assert.rejects(installation.start(), /newer/);
});

test("reports invalid variables by name, never by value", async () => {
  await using installation = await openInstallation();
  for (const [name, value] of [
    ["RAIL_PORT", "planted-value"],
    ["RAIL_PROVIDER", "planted-value"],
    ["RAIL_SERVICE_TOKEN", "planted-value"],
    ["RAIL_URL", `https://${"planted-value".repeat(9)}`],
    ["TRIPTYCH_SECRET", "planted-value"],
  ] as const)
    await assert.rejects(installation.start({ [name]: value }), (error) => {
      assert.ok(error instanceof Error);
      return error.message.includes(name) && !error.message.includes("planted-value");
    });
  await assert.rejects(installation.start({ RAIL_PROVIDER: "stripe" }), /RAIL_STRIPE_SECRET_KEY/);
});

test("tokens from the environment take precedence, and the catalogue contains a custom price", async () => {
  await using installation = await openInstallation();
  const [admin, service] = ["rail_admin_", "rail_svc_"].map((prefix) => `${prefix}${"0".repeat(26)}_${"0".repeat(7)}`);
  const { url } = await installation.start({
    RAIL_ADMIN_TOKEN: admin ?? "",
    RAIL_SERVICE_TOKEN: service ?? "",
    RAIL_PRICE_CUSTOM_HEAD_MICRO: "1000000",
    RAIL_SYNC: "normal",
  });
  assert.equal((await fetch(`${url}/v1/admin/keys`, { headers: { Authorization: `Bearer ${admin}` } })).status, 200);
  assert.match(await (await fetch(`${url}/v1/catalog`)).text(), /"amount_micro":1000000/);
  await assert.rejects(stat(join(installation.data, "service-token")), /ENOENT/);
});
