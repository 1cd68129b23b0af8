import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startPostgres, withoutPostgres } from "@triptych/storage/testing";
import { start } from "../src/service.ts";
import { openStore } from "../src/store/open-store.ts";
import { runCommand } from "./support/run-command.ts";

/** In CI a missing server is a failure, so the suite runs, and its first start reports the reason. */
const skip = withoutPostgres();

async function call(url: string, headers: Readonly<Record<string, string>>, body?: unknown) {
  const answer = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
}

describe("the rail on PostgreSQL", { skip }, () => {
  test("two processes started concurrently share wallets, keys, gateways and idempotency, and earn on one ledger", async () => {
    const server = await startPostgres({ durable: false });
    const DATABASE_URL = await server.createDatabase();
    const data = await mkdtemp(join(tmpdir(), "triptych-rail-"));
    const environment = { DATABASE_URL, TRIPTYCH_DATA: data, RAIL_PORT: "0", LOG_LEVEL: "silent" };
    await using opened = new AsyncDisposableStack();
    opened.defer(() => rm(data, { recursive: true }));
    const [first, two] = await Promise.all([start(environment), start(environment)]);
    opened.defer(() => first.stop());
    opened.defer(() => two.stop());
    const service = { Authorization: `Bearer ${(await readFile(join(data, "service-token"), "utf8")).trim()}` };

    const create = (url: string) =>
      call(`${url}/v1/wallets`, { "Idempotency-Key": "k-1" }, { email: "ada@example.org" });
    const made = await create(first.url);
    const again = await create(two.url);
    assert.deepEqual([again.status, again.headers.get("idempotency-replayed")], [201, "true"]);
    const token: string = made.body.wallet_token;
    assert.equal(again.body.wallet_token, token);
    const topUp = await call(`${two.url}/v1/topup`, { "X-Rail-Wallet": token }, { amount_micro: 60_000_000 });
    assert.equal(topUp.body.balance_micro, 60_100_000);

    const wallet_hash = createHash("sha256").update(token).digest("hex");
    const digest = "a".repeat(43);
    const charge = (url: string, instance: string, seq: number) =>
      call(`${url}/internal/v1/charges`, service, {
        instance,
        boot: "b",
        ack: { through: seq - 1 },
        charges: [{ seq, wallet_hash, op: "route", qty: 1, price_id: "decision-v1", req: digest, res: digest }],
      });
    for (const [rail, instance] of [
      [first, "gw-1"],
      [two, "gw-2"],
    ] as const)
      assert.equal((await call(`${rail.url}/internal/v1/instances`, service, { instance, boot: "b" })).status, 200);
    for (let seq = 1; seq <= 20; seq++) {
      const answers = await Promise.all([charge(first.url, "gw-1", seq), charge(two.url, "gw-2", seq)]);
      for (const { body } of answers) assert.equal(body.results[0].status, 201, JSON.stringify(body));
    }
    const bought = await Promise.all(
      [first, two, first, two].map(({ url }) =>
        call(`${url}/v1/purchases`, { "X-Rail-Wallet": token }, { sku: "custom-head", ref: "tools" }),
      ),
    );
    assert.equal(new Set(bought.map(({ body }) => body.purchase_id)).size, 1);
    const { body } = await call(`${first.url}/v1/wallets/me`, { "X-Rail-Wallet": token });
    assert.equal(body.balance_micro, 60_100_000 - 40 * 500 - 49_000_000);
    const receipt = (await charge(two.url, "gw-2", 21)).body.results[0].receipt;
    const { kid } = JSON.parse(Buffer.from(receipt.split(".")[0], "base64url").toString());
    // Asks the process that signed, because the other one loads new keys only every few seconds.
    const { keys } = (await call(`${two.url}/.well-known/jwks.json`, {})).body;
    assert.ok(keys.some((key: { kid: string }) => key.kid === kid));

    {
      await using store = await openStore({ dataFolder: data, databaseUrl: DATABASE_URL });
      const { unacknowledged, liveGateways, sumMicro } = await store.ledger.figures(Date.now());
      assert.deepEqual([unacknowledged, liveGateways, sumMicro], [2, 2, 0]);
    }
    // A command opens the store concurrently, because PostgreSQL allows any number of processes.
    const printed = await runCommand(["wallet", "show", body.wallet_id], environment);
    assert.match(printed.stdout, /status +active/, printed.stderr);
    const audit = await runCommand(["audit"], environment);
    assert.match(audit.stdout, /No violations found/, audit.stderr + audit.stdout);
  });

  test("two processes share the limits of creations, wallet requests and invalid tokens", async () => {
    const server = await startPostgres({ durable: false });
    const data = await mkdtemp(join(tmpdir(), "triptych-rail-"));
    const environment = { DATABASE_URL: await server.createDatabase(), TRIPTYCH_DATA: data, RAIL_PORT: "0" };
    await using opened = new AsyncDisposableStack();
    opened.defer(() => rm(data, { recursive: true }));
    const live = { ...environment, RAIL_PROVIDER: "manual", LOG_LEVEL: "silent" };
    const [first, two] = await Promise.all([start(live), start(live)]);
    opened.defer(() => first.stop());
    opened.defer(() => two.stop());
    const email = "ada@example.org";
    const statusesOf = (path: string, count: number, headers: Readonly<Record<string, string>>, body?: unknown) => {
      const urls = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? first : two).url + path);
      return Promise.all(urls.map(async (url) => (await call(url, headers, body)).status));
    };
    const counted = (statuses: readonly number[]) =>
      Object.fromEntries([...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]));

    const { wallet_token: token } = (await call(`${first.url}/v1/wallets`, {}, { email })).body;
    const created = await statusesOf("/v1/wallets", 15, {}, { email });
    assert.deepEqual(counted(created), { 201: 9, 429: 6 });
    const wrong = await statusesOf("/v1/wallets/me", 40, { "X-Rail-Wallet": "rail_live_wrong" });
    assert.deepEqual(counted(wrong), { 401: 30, 429: 10 });
    const looked = await statusesOf("/v1/wallets/me", 620, { "X-Rail-Wallet": token });
    assert.deepEqual(counted(looked), { 200: 600, 429: 20 });
  });

  test("a ledger moves from SQLite to PostgreSQL and back by export and import, with equal totals", async () => {
    const server = await startPostgres({ durable: false });
    const DATABASE_URL = await server.createDatabase();
    const folder = await mkdtemp(join(tmpdir(), "triptych-rail-"));
    await using opened = new AsyncDisposableStack();
    opened.defer(() => rm(folder, { recursive: true }));
    const TRIPTYCH_SECRET = "s".repeat(40);
    const createCli = (name: string, more: Readonly<Record<string, string>> = {}) => {
      const environment = { TRIPTYCH_DATA: join(folder, name), TRIPTYCH_SECRET, LOG_LEVEL: "silent", ...more };
      return async (...args: string[]) => {
        const ran = await runCommand(args, environment);
        assert.equal(ran.code, 0, `${args.join(" ")}: ${ran.stderr}${ran.stdout}`);
        return ran;
      };
    };
    const [embedded, large, back] = [createCli("a"), createCli("b", { DATABASE_URL }), createCli("c")];
    const id = /wal_\w+/.exec((await embedded("wallet", "create", "--email", "ada@example.org")).stderr)?.[0] ?? "";
    await embedded("wallet", "adjust", id, "--amount", "7", "--reason", "trial");
    await embedded("export", join(folder, "one.db"));
    await large("import", join(folder, "one.db"), "--yes");
    await large("wallet", "adjust", id, "--amount", "1", "--reason", "trial");
    await large("audit");
    await large("export", join(folder, "two.db"));
    await back("import", join(folder, "two.db"), "--yes");
    assert.match((await back("wallet", "show", id)).stdout, /paid +8\.00 EUR/);
    await back("audit");
  });
});
