/** Kills and restarts the services behind the gateway as real processes. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ask, until } from "./support/create-fixture.ts";
import { startServiceProcess } from "./support/service-process.ts";
import { start } from "../src/service.ts";

/** Product requirement for automatic recovery. */
const RECOVERY_MS = 2000;

test("a router and a rail killed with -9 are used again within two seconds of their restart", async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "triptych-recovery-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const base = { TRIPTYCH_DATA: folder, LOG_LEVEL: "silent" };
  const startBehind = (RAIL_PORT: string, ROUTER_PORT: string) =>
    startServiceProcess(["rail", "router"], { ...base, RAIL_PORT, ROUTER_PORT });
  const killed = opened.use(await startBehind("0", "0"));
  const [RAIL_URL, ROUTER_URL] = killed.urls;
  const addresses = { RAIL_URL, ROUTER_URL, GATEWAY_PORT: "0" };
  const gateway = opened.adopt(await start({ ...base, ...addresses }), (running) => running.stop());
  const made = await killed.ask("/v1/wallets", { body: { email: "recovery@example.org" } });
  const token = String(made.json.wallet_token);
  const route = async () => (await ask(`${gateway.url}/v1/route`, { token, body: { state: "will it rain" } })).status;
  const health = async () => (await ask(`${gateway.url}/health`)).status;
  assert.deepEqual([await route(), await health()], [200, 200]);

  await killed.kill();
  assert.deepEqual([await route(), await health()], [503, 503]);

  const returned = opened.use(await startBehind(new URL(RAIL_URL).port, new URL(ROUTER_URL).port));
  await until("a decision is delivered", async () => (await route()) === 200, RECOVERY_MS);
  await until("everything is healthy", async () => (await health()) === 200, RECOVERY_MS);
  const balance = async () => (await returned.ask("/v1/wallets/me", { token })).json.balance_micro;
  await until("two decisions are paid for", async () => (await balance()) === 99_000);
});
