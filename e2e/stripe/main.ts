/**
 * `npm run e2e:stripe`: top-ups with a third-party Stripe emulator. The official SDK creates the checkout, the emulator's page is paid,
 * and its signed event credits the wallet. Also covers an expired checkout, a lost event and a forged one.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startAdapter } from "./adapter.ts";
import { freePort, startEmulator, startRail, triptych, until } from "../processes.ts";

const SECRET = "whsec_end_to_end";
const AMOUNT = 5_000_000;

await using opened = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), "e2e-stripe-"));
opened.defer(() => rm(folder, { recursive: true }));
const [emulatorPort, adapterPort, railPort] = [await freePort(), await freePort(), await freePort()];
const emulator = `http://127.0.0.1:${emulatorPort}`;
const url = `http://127.0.0.1:${railPort}`;
const seedFile = join(folder, "seed.json");
const webhook = { url: `${url}/v1/webhooks/stripe`, events: ["*"], secret: SECRET };
await writeFile(seedFile, JSON.stringify({ stripe: { webhooks: [webhook] } }));
opened.use(await startEmulator(emulatorPort, seedFile));
const adapter = opened.use(await startAdapter(adapterPort, emulator));

const environment = {
  TRIPTYCH_DATA: join(folder, "data"),
  RAIL_PORT: String(railPort),
  RAIL_PROVIDER: "stripe",
  RAIL_STRIPE_SECRET_KEY: "sk_test_emulated",
  RAIL_STRIPE_WEBHOOK_SECRETS: `whsec_older,${SECRET}`,
  RAIL_STRIPE_URL: `http://127.0.0.1:${adapterPort}`,
};
let rail = await startRail(environment);
opened.defer(() => rail[Symbol.asyncDispose]());

interface Answer {
  readonly wallet_token: string;
  readonly topup_id: string;
  readonly status: string;
  readonly checkout_url: string;
  readonly paid_micro: number;
}

async function ask(method: string, path: string, { body, token = "" }: { body?: object; token?: string } = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { "Content-Type": "application/json", ...(token !== "" && { "X-Rail-Wallet": token }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: Answer = JSON.parse(text);
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return answer;
}

const { wallet_token: token } = await ask("POST", "/v1/wallets", { body: { email: "payer@example.test" } });
const topUp = () => ask("POST", "/v1/topup", { token, body: { amount_micro: AMOUNT } });
const paid = async () => (await ask("GET", "/v1/wallets/me", { token })).paid_micro;
const state = async ({ topup_id }: Answer) => (await ask("GET", `/v1/topups/${topup_id}`, { token })).status;

/** Opens the hosted checkout page and submits its form. */
async function payAt(checkout: string): Promise<void> {
  const address = checkout.replace("localhost", "127.0.0.1");
  const page = await (await fetch(address)).text();
  assert.match(page, /5\.00/);
  const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
  const done = await fetch(new URL(action, address), { method: "POST", redirect: "manual" });
  assert.equal(done.headers.get("location"), `${url}/wallet`);
}

async function step(name: string, work: () => Promise<void>): Promise<void> {
  await work();
  process.stdout.write(`ok  ${name}\n`);
}

await step("a paid checkout credits the wallet through the emulator's signed event", async () => {
  const topup = await topUp();
  assert.equal(topup.status, "pending");
  await payAt(topup.checkout_url);
  await until("the top-up has succeeded", async () => (await state(topup)) === "succeeded");
  assert.equal(await paid(), AMOUNT);
  assert.equal(adapter.checkouts[0]?.get("metadata[topup_id]"), topup.topup_id);
});

await step("an expired checkout credits nothing", async () => {
  const topup = await topUp();
  const session = topup.checkout_url.split("/").at(-1) ?? "";
  const headers = { Authorization: "Bearer sk_test_emulated" };
  await fetch(`${emulator}/v1/checkout/sessions/${session}/expire`, { method: "POST", headers });
  await until("the top-up has expired", async () => (await state(topup)) === "expired");
  assert.equal(await paid(), AMOUNT);
});

await step("a forged event is rejected and changes nothing", async () => {
  const topup = await topUp();
  const object = { id: "cs_forged", metadata: { topup_id: topup.topup_id }, payment_status: "paid" };
  const response = await fetch(`${url}/v1/webhooks/stripe`, {
    method: "POST",
    headers: { "Stripe-Signature": `t=${Math.floor(Date.now() / 1000)},v1=${"0".repeat(64)}` },
    body: JSON.stringify({ type: "checkout.session.completed", data: { object } }),
  });
  assert.equal(response.status, 400);
  assert.equal(JSON.parse(await response.text()).code, "signature_invalid");
  assert.deepEqual([await state(topup), await paid()], ["pending", AMOUNT]);
});

await step("the reconciler finds a payment whose event was lost", async () => {
  const topup = await topUp();
  await rail[Symbol.asyncDispose]();
  await payAt(topup.checkout_url);
  // Makes the check due now, because the reconciler waits five minutes.
  const database = new DatabaseSync(join(environment.TRIPTYCH_DATA, "rail.db"));
  database.prepare("update topup set check_at = 0 where id = ?").run(topup.topup_id);
  database.close();
  rail = await startRail(environment);
  await until("the top-up has succeeded", async () => (await state(topup)) === "succeeded", 60_000);
  assert.equal(await paid(), 2 * AMOUNT);
});

await step("the ledger is consistent", async () => {
  await rail[Symbol.asyncDispose]();
  const { code, out } = await triptych(["rail", "audit"], environment);
  assert.equal(code, 0, out);
});

assert.ok(!rail.output().includes("payer@example.test") && !rail.output().includes(token), "no secret in the log");
