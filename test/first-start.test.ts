import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { monitoredMetrics } from "./support/monitoring.ts";
import { ask, openInstallation, type Product } from "./support/product.ts";

describe("a first start on an empty folder", () => {
  test("serves the sample with the keys it wrote, which only their owner can read", async () => {
    await using installation = await openInstallation();
    const product = await installation.start();
    const { url, discovery_key, pro_key } = await installation.credentials();
    assert.equal(url, product.url);
    const found = await ask(url, "/api/items?q=prefecture&limit=2", discovery_key);
    assert.equal(found.status, 200);
    assert.equal(found.body.items.length, 2);
    const near = await ask(url, "/api/items?near=48.11,-1.68&radius=50", pro_key);
    assert.equal(near.body.items[0].slug, "rennes");
    const { mode } = await stat(join(installation.folder, "data", "credentials.json"));
    assert.equal(mode & 0o777, 0o600);
    assert.equal((await stat(join(installation.folder, "data"))).mode & 0o777, 0o700);
    const written = await readFile(join(installation.folder, "data", "credentials.json"), "utf8");
    const { router, gateway, rail, panel } = JSON.parse(written);
    for (const { url: at } of [router, gateway]) {
      const decided = await fetch(`${at}/v1/route`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Rail-Wallet": rail.demo_wallet_token },
        body: JSON.stringify({ state: "What is the weather in Paris tomorrow?" }),
      });
      assert.deepEqual([decided.status, JSON.parse(await decided.text()).route], [200, "get_weather"]);
      assert.equal(decided.headers.get("x-meter-remaining"), at === gateway.url ? "199" : null);
      assert.equal((await fetch(`${at}/health`)).status, 200);
    }
    assert.equal(panel.url, product.addressOf("panel"));
    for (const plan of ["pro", "free"]) {
      const headers = { Authorization: `Bearer ${panel[plan].access_token}` };
      const account = await fetch(`${panel.url}/api/account`, { headers });
      assert.equal(JSON.parse(await account.text()).plan.id, plan);
    }
    for (const path of ["/docs", "/carte", "/api/docs", "/llms.txt", "/openapi.json", "/metrics"]) {
      assert.equal((await fetch(url + path)).status, 200, path);
    }
    const origins = Object.values(await installation.origins());
    const metrics = await Promise.all(origins.map(async (origin) => (await fetch(`${origin}/metrics`)).text()));
    for (const name of await monitoredMetrics())
      assert.ok(
        metrics.some((text) => text.includes(`# TYPE ${name} `)),
        name,
      );
    assert.equal(await product.end("SIGTERM"), 0);
    assert.ok(!product.log().includes(pro_key.slice(9, 35)));
    for (const secret of [panel.pro.password, panel.pro.access_token, panel.pro.license_key])
      assert.ok(!product.log().includes(secret));
  });

  test("creates nothing in production", async () => {
    await using installation = await openInstallation();
    const production = {
      NODE_ENV: "production",
      RAIL_PROVIDER: "manual",
      TRIPTYCH_SECRET: "a secret of the tests, number 0123456789",
    };
    const product = await installation.start(production);
    await assert.rejects(installation.credentials());
    assert.equal((await fetch(`${product.url}/readyz`)).status, 503);
    assert.equal((await fetch(`${product.url}/livez`)).status, 200);
    const created = await installation.run(["directory", "keys", "create", "--name", "First", "--plan", "pro"], {
      NODE_ENV: "production",
    });
    assert.equal(created.code, 0);
    assert.match(created.stdout + created.stderr, /dir_live_[0-9a-z]{26}_[0-9a-z]{7}/);
  });
});

/** Names of all metrics in the alert rules that we ship. */
/** One test for several facts, because each start costs a second of CPU time. */
test("excludes a second directory process, drains requests on SIGTERM, keeps keys across restarts, and loses no usage after kill -9", async () => {
  await using installation = await openInstallation();
  const first = await installation.startDirectory();
  const before = await installation.credentials();
  const { pro_key } = before;

  const beside = await installation.run(["start", "directory"]);
  assert.equal(beside.code, 1);
  assert.match(beside.stderr, /Another process holds/);

  const response = await readWhileStopping(first, pro_key);
  assert.match(response, /^HTTP\/1\.1 200 /);
  assert.ok(response.trimEnd().split("\r\n").length > 100);

  // Leaves another service's section unchanged and updates its own URL.
  const file = join(installation.folder, "data", "credentials.json");
  const gateway = { url: "http://127.0.0.1:7003" };
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), gateway }));
  const second = await installation.startDirectory();
  assert.deepEqual(await installation.credentials(), { ...before, url: second.url });
  assert.deepEqual(JSON.parse(await readFile(file, "utf8")).gateway, gateway);

  for (let count = 0; count < 5; count++)
    assert.equal((await ask(second.url, "/api/items?limit=10", pro_key)).status, 200);
  // Rows are written within 50 ms; three usage requests span several commits.
  for (let count = 0; count < 3; count++) await ask(second.url, "/api/usage", pro_key);
  const answered = (await ask(second.url, "/api/usage", pro_key)).body.month.items;
  await second.end("SIGKILL");
  const third = await installation.startDirectory();
  const { body } = await ask(third.url, "/api/usage", pro_key);
  assert.ok(body.month.items <= answered);
  const verified = await installation.run(["directory", "verify"]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  assert.equal(await third.end("SIGINT"), 0);
});

/** What a client receives of a long response when the directory gets SIGTERM after the first bytes. */
async function readWhileStopping(product: Product, key: string): Promise<string> {
  const socket = connect(Number(new URL(product.url).port), "127.0.0.1");
  await once(socket, "connect");
  let response = "";
  socket.on("data", (chunk: Buffer) => (response += chunk.toString("latin1")));
  socket.write(`GET /api/items?limit=100&format=csv HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
  await once(socket, "data");
  const closed = once(socket, "close");
  assert.equal(await product.end("SIGTERM"), 0);
  await closed;
  return response;
}

describe("the command line", () => {
  test("prints help, and exits with 2 on usage errors", async () => {
    await using installation = await openInstallation();
    const help = await installation.run(["--help"]);
    assert.equal(help.code, 0);
    assert.deepEqual(await installation.run([]), help);
    for (const term of ["start", "directory", "panel", "store", "TRIPTYCH_DATA"])
      assert.ok(help.stdout.includes(term), term);
    assert.equal((await installation.run(["directory", "--help"])).code, 0);
    assert.equal((await installation.run(["--no-such-option"])).code, 2);
    assert.equal((await installation.run(["directory", "nonsense"])).code, 2);
    const unknown = await installation.run(["start", "atlantis"]);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /'atlantis' is invalid.* directory, rail, router, gateway, panel/);
    const mistyped = await installation.run(["strat"]);
    assert.equal(mistyped.code, 2);
    assert.match(mistyped.stderr, /unknown command 'strat'\n\(Did you mean start\?\)/);
  });

  test("copies from an existing store, and creates no folder for a mistyped URL", async () => {
    await using installation = await openInstallation();
    const nothing = await installation.run([
      "store",
      "copy",
      "--from",
      join(installation.folder, "empty"),
      "--to",
      join(installation.folder, "to"),
    ]);
    assert.deepEqual([nothing.code, nothing.stdout], [1, ""]);
    assert.match(nothing.stderr, /^No service has a store in .*empty\. Nothing was copied\.$/m);
    const mistyped = await installation.run([
      "store",
      "copy",
      "--from",
      installation.folder,
      "--to",
      "postgress://me:secret-99@db/x",
    ]);
    assert.equal(mistyped.code, 2);
    assert.match(mistyped.stderr, /--to takes a data folder or an address that begins with postgres:/);
    assert.ok(!mistyped.stderr.includes("secret-99"));
  });

  test("names an invalid variable without its value", async () => {
    await using installation = await openInstallation();
    const { code, stderr } = await installation.run(["start"], {
      DIRECTORY_PORT: "secret-99",
      PANEL_LEASE_S: "secret-99",
      TRIPTYCH_SECRET: "secret-99",
      DATABASE_URL: "mysql://user:secret-99@x/y",
    });
    assert.equal(code, 2);
    assert.match(stderr, /DIRECTORY_PORT/);
    for (const name of [/DATABASE_URL/, /PANEL_LEASE_S/, /TRIPTYCH_SECRET/]) assert.ok(name.test(stderr), stderr);
    assert.ok(!existsSync(join(installation.folder, "data")), "nothing was created");
    assert.ok(!stderr.includes("secret-99"));
  });
});
