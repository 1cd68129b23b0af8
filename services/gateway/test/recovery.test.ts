/** Services behind the gateway that die and come back, with processes that are killed. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ask, until } from "./support/open-scene.ts";
import { startServiceProcess } from "./support/service-process.ts";
import { start } from "../src/service.ts";

/** Law of the product: by itself, within so long of their return. */
const RECOVERY_MS = 2000;

test("a router and a rail that were killed with -9 are used again within two seconds of their return", async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "triptych-recovery-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const base = { TRIPTYCH_DATA: folder, LOG_LEVEL: "silent" };
  const startBoth = (ports: { readonly rail: string; readonly router: string }) =>
    Promise.all([
      startServiceProcess("rail", { ...base, RAIL_PORT: ports.rail }),
      startServiceProcess("router", { ...base, ROUTER_PORT: ports.router }),
    ]);
  const [rail, router] = (await startBoth({ rail: "0", router: "0" })).map((one) => opened.use(one));
  const addresses = { RAIL_URL: rail.url, ROUTER_URL: router.url };
  const gateway = opened.adopt(await start({ ...base, ...addresses, GATEWAY_PORT: "0" }), (one) => one.stop());
  const made = await rail.ask("/v1/wallets", { body: { email: "recovery@example.org" } });
  const token = String(made.json.wallet_token);
  const route = async () => (await ask(`${gateway.url}/v1/route`, { token, body: { state: "will it rain" } })).status;
  const health = async () => (await ask(`${gateway.url}/health`)).status;
  assert.deepEqual([await route(), await health()], [200, 200]);

  await Promise.all([rail.kill(), router.kill()]);
  assert.deepEqual([await route(), await health()], [503, 503]);

  const again = await startBoth({ rail: new URL(rail.url).port, router: new URL(router.url).port });
  const [returned] = again.map((one) => opened.use(one));
  await until("a decision is sold", async () => (await route()) === 200, RECOVERY_MS);
  await until("all is well", async () => (await health()) === 200, RECOVERY_MS);
  const balance = async () => (await returned.ask("/v1/wallets/me", { token })).json.balance_micro;
  await until("two decisions are paid", async () => (await balance()) === 99_000);
});
