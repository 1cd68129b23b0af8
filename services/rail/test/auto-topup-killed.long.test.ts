/** A rail with Stripe payments is killed with SIGKILL at each step of an automatic top-up, and started again. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { eventsOf, openStripe, paymentEvent, signedEvent, WEBHOOK_SECRET } from "./support/stripe-double.ts";
import { openStore } from "../src/store/open-store.ts";

const SERVE = fileURLToPath(new URL("./children/serve.ts", import.meta.url));
const AMOUNT = 5_000_000;
const DIGEST = "a".repeat(43);

/** The steps at which the process dies: before or after the effect of a request to Stripe. */
const DEATHS = [
  ["POST /v1/payment_intents", "before"],
  ["POST /v1/payment_intents", "after"],
  ["GET /v1/payment_intents/pi_auto_1", "before"],
  ["GET /v1/payment_intents/pi_auto_1", "after"],
] as const;

async function serve(data: string, stripeUrl: string) {
  const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
  const env = {
    TRIPTYCH_DATA: data,
    RAIL_PORT: "0",
    LOG_LEVEL: "silent",
    PATH,
    NODE_COMPILE_CACHE,
    NODE_OPTIONS,
    RAIL_PROVIDER: "stripe",
    RAIL_STRIPE_SECRET_KEY: "sk_test_double",
    RAIL_STRIPE_WEBHOOK_SECRETS: WEBHOOK_SECRET,
    RAIL_STRIPE_URL: stripeUrl,
  };
  const child = spawn(process.execPath, [SERVE], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [url] = await once(createInterface({ input: child.stdout }), "line");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return { url: String(url), child, ended, kill, [Symbol.asyncDispose]: kill };
}

async function post(url: string, path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const method = path === "/v1/wallets/me" ? "PATCH" : "POST";
  const request = { method, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) };
  const response = await fetch(url + path, request);
  const text = await response.text();
  assert.ok(response.ok, text);
  return JSON.parse(text);
}

describe("a rail that is killed during an automatic top-up", { concurrency: 2 }, () => {
  for (const [path, when] of DEATHS)
    test(`${when} ${path} charges once and credits once`, async () => {
      await using opened = new AsyncDisposableStack();
      const folder = await mkdtemp(join(tmpdir(), "triptych-rail-"));
      opened.defer(() => rm(folder, { recursive: true }));
      const stripe = opened.use(await openStripe(() => Date.now()));
      const rail = opened.use(await serve(folder, stripe.url));
      const wallet = await post(rail.url, "/v1/wallets", { email: "ada@example.org" });
      const token = { "X-Rail-Wallet": String(wallet.wallet_token) };
      const auto_topup = { threshold_micro: AMOUNT, amount_micro: AMOUNT, max_per_month: 9 };
      await post(rail.url, "/v1/wallets/me", { auto_topup }, token);
      const checkout = await post(rail.url, "/v1/topup", { amount_micro: AMOUNT }, token);
      const [session] = stripe.sessions.values();
      assert.ok(session !== undefined);
      const send = async (url: string, event: Parameters<typeof signedEvent>[0]) => {
        const { raw, headers } = signedEvent(event, { at: Date.now() });
        assert.equal((await fetch(`${url}/v1/webhooks/stripe`, { method: "POST", body: raw, headers })).status, 200);
      };
      await send(rail.url, eventsOf(session).paid());
      assert.equal(checkout.status, "pending");

      // Spends the starter credit until the balance is just above the threshold, and then falls below it.
      const service = { Authorization: `Bearer ${(await readFile(join(folder, "service-token"), "utf8")).trim()}` };
      await post(rail.url, "/internal/v1/instances", { instance: "gw", boot: "b1" }, service);
      stripe.watch((request, moment) => {
        if (request.path === path && moment === when) rail.child.kill("SIGKILL");
      });
      const wallet_hash = createHash("sha256").update(String(wallet.wallet_token)).digest("hex");
      const about = { wallet_hash, op: "route", qty: 1, price_id: "decision-v1", req: DIGEST, res: DIGEST };
      const charges = Math.floor(Number(wallet.balance_micro) / 500) + 1;
      for (let first = 1; first <= charges; first += 64) {
        const count = Math.min(64, charges - first + 1);
        const some = Array.from({ length: count }, (_, index) => ({ seq: first + index, ...about }));
        const batch = { instance: "gw", boot: "b1", ack: { through: first - 1 }, charges: some };
        // The last batch takes the balance below the threshold, so the process may die before its response.
        const isLast = first + count > charges;
        await post(rail.url, "/internal/v1/charges", batch, service).catch((error: unknown) => {
          if (!isLast) throw error;
        });
      }
      await rail.ended;
      stripe.watch(() => undefined);

      // The reconciler waits a minute, because the call may still be running in another process.
      const database = new DatabaseSync(join(folder, "rail.db"));
      assert.equal(database.prepare("update topup set check_at = 0 where payment_ref is not null").run().changes, 1);
      database.close();
      await using again = await serve(folder, stripe.url);
      const credited = async () => {
        const answer = await fetch(`${again.url}/v1/topups`, { headers: token });
        const { items } = JSON.parse(await answer.text());
        return items[0].automatic === true && items[0].status === "succeeded";
      };
      // Polls, because the reconciler runs every 30 s in another process and no event reports it.
      while (!(await credited())) await wait(250);
      const [payment, ...others] = stripe.payments.values();
      assert.ok(payment !== undefined);
      assert.equal(others.length, 0);
      for (let times = 0; times < 2; times++) await send(again.url, paymentEvent(payment));
      await again.kill();

      await using store = await openStore({ dataFolder: folder, databaseUrl: undefined });
      const entries = await store.ledger.entries(String(wallet.wallet_id), {
        kinds: ["topup"],
        since: null,
        until: null,
        before: null,
        limit: 9,
      });
      assert.deepEqual(
        entries.map(({ amountMicro }) => amountMicro),
        [AMOUNT, AMOUNT],
      );
      assert.deepEqual((await store.ledger.audit()).violations, []);
    });
});
