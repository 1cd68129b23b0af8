import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { start } from "../../src/service.ts";
import { eventsOf, openStripe, signedEvent, WEBHOOK_SECRET, type StripeEvent } from "../support/stripe-double.ts";

const AMOUNT = 5_000_000;
const Created = Type.Object({ wallet_token: Type.String() });
const Topup = Type.Object({ topup_id: Type.String(), status: Type.String(), checkout_url: Type.String() });
const Wallet = Type.Object({ paid_micro: Type.Integer() });
const Problem = Type.Object({ code: Type.String() });

/** A rail with Stripe payments over HTTP. */
async function openRail(more: Readonly<Record<string, string>> = {}) {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "webhooks-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const stripe = opened.use(await openStripe(() => Date.now()));
  const rail = await start({
    TRIPTYCH_DATA: folder,
    RAIL_PORT: "0",
    LOG_LEVEL: "silent",
    NODE_ENV: "test",
    RAIL_PROVIDER: "stripe",
    RAIL_STRIPE_SECRET_KEY: "sk_test_double",
    RAIL_STRIPE_WEBHOOK_SECRETS: WEBHOOK_SECRET,
    RAIL_STRIPE_URL: stripe.url,
    ...more,
  });
  opened.adopt(rail, (resource) => resource.stop());
  const json = { "Content-Type": "application/json" };
  const made = await fetch(`${rail.url}/v1/wallets`, {
    method: "POST",
    headers: json,
    body: '{"email":"a@example.test"}',
  });
  const { wallet_token } = Value.Parse(Created, await made.json());
  const headers = { ...json, "X-Rail-Wallet": wallet_token };
  const parts = opened.move();
  return {
    url: rail.url,
    stripe,
    folder,
    topUp: (amount_micro = AMOUNT) =>
      fetch(`${rail.url}/v1/topup`, { method: "POST", headers, body: JSON.stringify({ amount_micro }) }),
    async paid() {
      return Value.Parse(Wallet, await (await fetch(`${rail.url}/v1/wallets/me`, { headers })).json()).paid_micro;
    },
    send(body: Buffer, more: Readonly<Record<string, string>>) {
      return fetch(`${rail.url}/v1/webhooks/stripe`, { method: "POST", headers: more, body: new Uint8Array(body) });
    },
    deliverEvent(event: StripeEvent, by: { readonly at?: number; readonly secret?: string } = {}) {
      const { raw, headers } = signedEvent(event, { at: Date.now(), ...by });
      return this.send(raw, { ...headers, "Content-Type": "application/json; charset=utf-8" });
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function codeOf(response: Response): Promise<string> {
  return Value.Parse(Problem, await response.json()).code;
}

test("acknowledges a signed event after the commit, and credits it once", async () => {
  await using rail = await openRail();
  const created = await rail.topUp();
  assert.equal(created.status, 201);
  const topup = Value.Parse(Topup, await created.json());
  assert.equal(topup.status, "pending");
  const [session] = rail.stripe.sessions.values();
  const of = eventsOf(session);
  assert.equal(session.metadata["topup_id"], topup.topup_id);
  for (let times = 0; times < 3; times++) {
    const answer = await rail.deliverEvent(of.paid());
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { received: true });
    assert.equal(await rail.paid(), AMOUNT);
  }
  assert.equal((await rail.deliverEvent({ type: "some.new_type", object: {} })).status, 200);
});

test("measures the delay of verified events that contain a time", async () => {
  await using rail = await openRail();
  await rail.topUp();
  const event = eventsOf([...rail.stripe.sessions.values()][0]).paid();
  const created = Math.floor(Date.now() / 1000) - 100;
  await rail.deliverEvent({ ...event, created });
  await rail.deliverEvent({ ...event, created: created + 1000 });
  await rail.deliverEvent(event);
  await rail.deliverEvent({ ...event, created }, { secret: "whsec_guessed" });
  const metrics = await (await fetch(`${rail.url}/metrics`)).text();
  const figure = (name: string) => new RegExp(`^rail_webhook_lag_seconds_${name} (\\S+)$`, "m").exec(metrics)?.[1];
  assert.deepEqual([figure('bucket\\{le="0.5"[^}]*\\}'), figure('bucket\\{le="60"[^}]*\\}')], ["1", "1"], metrics);
  assert.deepEqual([figure('bucket\\{le="300"[^}]*\\}'), figure("count(?:\\{[^}]*\\})?")], ["2", "2"]);
});

test("a stale, forged, unsigned or empty event gets 400 signature_invalid, whatever its type", async () => {
  await using rail = await openRail();
  await rail.topUp();
  const event = eventsOf([...rail.stripe.sessions.values()][0]).paid();
  const { raw, headers } = signedEvent(event, { at: Date.now() });
  const changed = Buffer.from(raw.toString().replace('"amount_total":500', '"amount_total":900'));
  assert.notDeepEqual(changed, raw);
  const answers = [
    await rail.deliverEvent(event, { at: Date.now() - 400_000 }),
    await rail.deliverEvent(event, { secret: "whsec_guessed" }),
    await rail.send(raw, {}),
    await rail.send(changed, headers),
    await rail.send(Buffer.alloc(0), headers),
    await rail.send(Buffer.from("{"), { "stripe-signature": "nonsense" }),
  ];
  for (const answer of answers) assert.deepEqual([answer.status, await codeOf(answer)], [400, "signature_invalid"]);
  assert.equal(await rail.paid(), 0);
});

test("refuses an event that cannot be processed yet, so that Stripe resends it", async () => {
  await using rail = await openRail();
  await rail.topUp();
  const of = eventsOf([...rail.stripe.sessions.values()][0]);
  await rail.deliverEvent(of.paid());
  rail.stripe.goDown(true);
  const answer = await rail.deliverEvent(of.dispute("created", "needs_response"));
  assert.deepEqual([answer.status, await codeOf(answer)], [503, "provider_unavailable"]);
  assert.ok(Number(answer.headers.get("retry-after")) > 0);
  rail.stripe.goDown(false);
  assert.equal((await rail.deliverEvent(of.dispute("created", "needs_response"))).status, 200);
  assert.equal(await rail.paid(), 0);
});

test("without Stripe there is no webhook", async () => {
  await using rail = await openRail({ RAIL_PROVIDER: "manual" });
  const answer = await rail.deliverEvent({ type: "checkout.session.completed", object: {} });
  assert.deepEqual([answer.status, await codeOf(answer)], [404, "not_found"]);
});

test("Stripe requires at least 0.50 EUR, and the rail returns 503 without side effects while Stripe is unreachable", async () => {
  await using rail = await openRail();
  const small = await rail.topUp(490_000);
  assert.deepEqual([small.status, await codeOf(small)], [400, "validation_failed"]);
  rail.stripe.goDown(true);
  const answer = await rail.topUp();
  assert.deepEqual([answer.status, await codeOf(answer)], [503, "provider_unavailable"]);
  assert.equal(rail.stripe.sessions.size, 0);
});

test("outside the ledger, no file contains the messages between Stripe and the rail in clear text", async () => {
  await using rail = await openRail();
  await rail.topUp();
  const written = await readFile(join(rail.folder, "credentials.json"), "utf8");
  for (const secret of ["sk_test_double", WEBHOOK_SECRET]) assert.ok(!written.includes(secret));
  const store = await readFile(join(rail.folder, "rail.db"), "latin1");
  const tail = await readFile(join(rail.folder, "rail.db-wal"), "latin1").catch(() => "");
  for (const secret of ["sk_test_double", WEBHOOK_SECRET, "a@example.test"])
    assert.ok(!store.includes(secret) && !tail.includes(secret), secret);
});
