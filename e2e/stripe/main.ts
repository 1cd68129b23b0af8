/**
 * `npm run e2e:stripe`: top-ups with a third-party Stripe emulator. The official SDK creates the checkout, the emulator's page is paid,
 * and its signed event credits the wallet. Also covers an expired checkout, a lost event and a forged one, and automatic top-ups from a
 * saved card, with a rail that is killed between charge and credit.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createHash } from "node:crypto";
import { signedEvent } from "../../services/rail/test/support/stripe-double.ts";
import { startAdapter } from "./adapter.ts";
import { createSavedPayments } from "./saved-payments.ts";
import { freePort, startEmulator, startRail, startStatefulMock, triptych, until } from "../processes.ts";

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
const mockPort = await freePort();
opened.use(await startStatefulMock(mockPort));
const saved = createSavedPayments(`http://127.0.0.1:${mockPort}`);
const adapter = opened.use(await startAdapter(adapterPort, emulator, saved));

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
  readonly balance_micro: number;
  readonly auto_topup: { readonly status: string; readonly stop_reason: string | null };
  readonly items: readonly (Pick<Answer, "topup_id" | "status"> & { readonly automatic: boolean })[];
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

let seq = 0;
/** One decision, which takes the balance below the threshold. */
async function decide(): Promise<void> {
  const service = (await readFile(join(environment.TRIPTYCH_DATA, "service-token"), "utf8")).trim();
  const send = async (path: string, body: object) => {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${service}` };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    assert.ok(response.ok, await response.text());
  };
  const [instance, boot] = ["gw", `b${(seq += 1)}`];
  await send("/internal/v1/instances", { instance, boot });
  const digest = "a".repeat(43);
  const wallet_hash = createHash("sha256").update(token).digest("hex");
  const charge = { seq, wallet_hash, op: "route", qty: 1, price_id: "decision-v1", req: digest, res: digest };
  await send("/internal/v1/charges", { instance, boot, charges: [charge] });
  // Delivered: an unacknowledged charge would be voided, and raise the balance again.
  await send("/internal/v1/charges", { instance, boot, ack: { through: seq } });
}

const wallet = () => ask("GET", "/v1/wallets/me", { token });
const automatic = async () => (await ask("GET", "/v1/topups", { token })).items.filter((topup) => topup.automatic);
/** The balance is the threshold, so that the next decision falls below it. */
async function arm(): Promise<void> {
  const { balance_micro } = await wallet();
  const auto_topup = { threshold_micro: balance_micro, amount_micro: AMOUNT, max_per_month: 5 };
  await ask("PATCH", "/v1/wallets/me", { token, body: { auto_topup } });
}

await step("automatic top-up charges the card that a checkout saved, and credits it once", async () => {
  await arm();
  assert.equal((await wallet()).auto_topup.status, "needs_payment_method");
  await payAt((await topUp()).checkout_url);
  await until("the card is saved", async () => (await wallet()).auto_topup.status === "active");
  await arm();
  const before = await paid();
  await decide();
  await until("the top-up has succeeded", async () => (await automatic())[0]?.status === "succeeded");
  assert.equal(await paid(), before + AMOUNT);
  const [charge, ...others] = await saved.charges();
  assert.deepEqual([charge?.amount, charge?.currency, others.length], [AMOUNT / 10_000, "eur", 0]);
});

await step(
  "a rail killed between charge and credit charges once and credits once, before and after signed events",
  async () => {
    await arm();
    const before = await paid();
    saved.afterCharge = () => rail.child.kill("SIGKILL");
    // The process may die before its response.
    await decide().catch(() => undefined);
    await until("the rail is dead", async () => rail.child.signalCode !== null);
    saved.afterCharge = () => undefined;
    assert.equal((await saved.charges()).length, 2);
    // Makes the check due now, because the reconciler waits a minute.
    const database = new DatabaseSync(join(environment.TRIPTYCH_DATA, "rail.db"));
    database.prepare("update topup set check_at = 0 where state = 'pending' and payment_ref is not null").run();
    database.close();
    rail = await startRail(environment);
    await until("the top-up has succeeded", async () => (await automatic())[0]?.status === "succeeded", 90_000);
    assert.deepEqual([await paid(), (await saved.charges()).length], [before + AMOUNT, 2]);
    const charge = (await saved.charges()).find(({ metadata }) => metadata["automatic"] === "1");
    const object = {
      id: `pi_${charge?.id}`,
      object: "payment_intent",
      status: "succeeded",
      metadata: charge?.metadata ?? {},
    };
    for (let times = 0; times < 2; times++) {
      const { raw, headers } = signedEvent(
        { type: "payment_intent.succeeded", object },
        { at: Date.now(), secret: SECRET },
      );
      assert.equal((await fetch(`${url}/v1/webhooks/stripe`, { method: "POST", headers, body: raw })).status, 200);
    }
    assert.equal(await paid(), before + AMOUNT);
  },
);

await step("a declined card stops automatic top-up at its first failure", async () => {
  saved.card = "tok_chargeCustomerFail";
  const before = await paid();
  await payAt((await topUp()).checkout_url);
  await until("the checkout has succeeded", async () => (await paid()) === before + AMOUNT);
  await arm();
  await decide();
  await until("it has stopped", async () => (await wallet()).auto_topup.status === "stopped");
  assert.equal((await wallet()).auto_topup.stop_reason, "declined");
  assert.equal(await paid(), before + AMOUNT);
  const count = (await saved.charges()).length;
  await decide();
  assert.equal((await saved.charges()).length, count);
});

await step("the ledger is consistent", async () => {
  await rail[Symbol.asyncDispose]();
  const { code, out } = await triptych(["rail", "audit"], environment);
  assert.equal(code, 0, out);
});

assert.ok(!rail.output().includes("payer@example.test") && !rail.output().includes(token), "no secret in the log");
