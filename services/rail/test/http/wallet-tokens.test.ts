import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { RailFixture } from "../support/create-rail-fixture.ts";
import { onEachStore } from "../support/on-each-store.ts";

const PRICE = 500;
const hash = (text: string) => createHash("sha256").update(text).digest("hex");

async function openToken(fixture: RailFixture, token: string, body: Readonly<Record<string, unknown>> = {}) {
  const answer = await fixture.ask("/v1/wallets/me/tokens", { token, body: { name: "agent", ...body } });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json();
}

async function charge(fixture: RailFixture, token: string, more: Readonly<Record<string, unknown>> = {}) {
  const answer = await fixture.batch({ charges: [fixture.charge(token, more)] });
  return answer.json().results[0];
}

function claimsOf(receipt: string) {
  return JSON.parse(Buffer.from(receipt.split(".")[1] ?? "", "base64url").toString());
}

onEachStore("sub-tokens", (createRailFixture) => {
  test("POST /v1/wallets/me/tokens shows the token once; the list shows caps and spend", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    await fixture.hello();
    const expires_at = new Date(fixture.now() + 86_400_000).toISOString();
    const caps = { per_day_micro: 2 * PRICE, total_micro: 10 * PRICE };
    const created = await openToken(fixture, token, { caps, ops: ["route"], expires_at });
    assert.match(created.token_id, /^tok_[0-9a-z]{26}$/);
    assert.match(created.wallet_token, /^rail_test_/);
    const result = await charge(fixture, created.wallet_token);
    assert.deepEqual([result.status, result.balance_micro, result.spendable_micro], [201, PRICE, undefined]);
    assert.equal(claimsOf(result.receipt).tok, created.token_id);
    const answer = await fixture.ask("/v1/wallets/me/tokens", { token });
    const { wallet_token, ...rest } = created;
    assert.ok(!answer.body.includes(wallet_token));
    const spent = { day_micro: PRICE, month_micro: PRICE, total_micro: PRICE };
    assert.deepEqual(answer.json(), { items: [{ ...rest, spent, spendable_micro: PRICE }], next_cursor: null });
    assert.deepEqual(
      [rest.caps, rest.ops, rest.expires_at, rest.state],
      [{ per_charge_micro: null, per_month_micro: null, ...caps }, ["route"], expires_at, "active"],
    );
  });

  test("a charge beyond a cap gets 403 cap_reached with the cap, until it resets", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const agent = await openToken(fixture, token, { caps: { per_day_micro: PRICE } });
    await fixture.hello();
    assert.equal((await charge(fixture, agent.wallet_token)).status, 201);
    const refused = await charge(fixture, agent.wallet_token);
    const resets_at = new Date(Math.ceil(fixture.now() / 86_400_000) * 86_400_000).toISOString();
    const reached = { cap: "per_day", owner: "token", limit_micro: PRICE, spent_micro: PRICE, resets_at };
    assert.deepEqual(refused, {
      seq: refused.seq,
      status: 403,
      code: "cap_reached",
      reached,
      balance_micro: 0,
    });
    const body = { wallet_hash: hash(agent.wallet_token) };
    const resolved = (await fixture.asGateway("/internal/v1/wallets/resolve", { body })).json();
    assert.deepEqual([resolved.spendable_micro, resolved.reached], [0, reached]);
    fixture.pass(Date.parse(resets_at) - fixture.now());
    await fixture.hello("b2");
    const next = await fixture.batch({ boot: "b2", charges: [fixture.charge(agent.wallet_token)] });
    assert.equal(next.json().results[0].status, 201);
  });

  test("PATCH /v1/wallets/me sets caps and alerts, and null removes one", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const change = async (body: unknown) =>
      (await fixture.ask("/v1/wallets/me", { method: "PATCH", token, body })).json();
    const capped = await change({ caps: { per_day_micro: 3 * PRICE, per_charge_micro: 900 }, alerts: [50] });
    assert.deepEqual(capped.caps, {
      per_charge_micro: 900,
      per_day_micro: 3 * PRICE,
      per_month_micro: null,
      total_micro: null,
    });
    assert.deepEqual([capped.alerts, capped.balance_micro, capped.decisions_remaining], [[50], 100_000, 3]);
    assert.equal((await change({ caps: { per_charge_micro: null } })).caps.per_day_micro, 3 * PRICE);
    assert.equal((await change({ caps: null })).decisions_remaining, 200);
  });

  test("invalid caps, alerts and tokens get 400 with every issue, and have no effect", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const paths = (answer: Awaited<ReturnType<RailFixture["ask"]>>) => {
      assert.deepEqual([answer.statusCode, answer.json().code], [400, "validation_failed"], answer.body);
      return answer.json().errors.map(({ path }: { readonly path: string }) => path);
    };
    const body = { caps: { per_day_micro: -1, total_micro: 5 }, alerts: [0, 101] };
    const changed = paths(await fixture.ask("/v1/wallets/me", { method: "PATCH", token, body }));
    assert.deepEqual(changed.toSorted(), ["/alerts/0", "/alerts/1", "/caps/per_day_micro", "/caps/total_micro"]);
    const past = new Date(fixture.now()).toISOString();
    const created = { name: "", ops: ["purchase"], expires_at: past, caps: { per_day_micro: 0.5 } };
    const issues = paths(await fixture.ask("/v1/wallets/me/tokens", { token, body: created }));
    assert.deepEqual(issues.toSorted(), ["/caps/per_day_micro", "/expires_at", "/name", "/ops/0"]);
    assert.deepEqual((await fixture.ask("/v1/wallets/me/tokens", { token })).json().items, []);
  });

  test("a sub-token sees its own balance, entries, charges, usage and statement, and nothing else", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const agent = await openToken(fixture, token, { caps: { total_micro: 3 * PRICE } });
    const other = await openToken(fixture, token, { name: "other" });
    await fixture.hello();
    const mine = await charge(fixture, agent.wallet_token);
    const foreign = await charge(fixture, other.wallet_token);
    const read = (path: string, as = agent.wallet_token) => fixture.ask(`/v1/wallets/me${path}`, { token: as });
    const wallet = (await read("")).json();
    assert.deepEqual(
      [wallet.balance_micro, wallet.paid_micro + wallet.promo_micro, wallet.decisions_remaining, wallet.email_masked],
      [2 * PRICE, 2 * PRICE, 2, null],
    );
    assert.deepEqual([wallet.token.token_id, wallet.token_hint], [agent.token_id, agent.token_hint]);
    const items = (await read("/entries")).json().items;
    assert.deepEqual(
      items.map((entry: { readonly charge_id: string; readonly token_id: string }) => [
        entry.charge_id,
        entry.token_id,
      ]),
      [[mine.charge_id, agent.token_id]],
    );
    assert.equal((await read(`/charges/${mine.charge_id}`)).json().token_id, agent.token_id);
    assert.equal((await read(`/receipts/${mine.charge_id}`)).body, mine.receipt);
    assert.equal((await read(`/charges/${foreign.charge_id}`)).json().code, "charge_not_found");
    assert.equal((await read(`/receipts/${foreign.charge_id}`)).json().code, "receipt_not_found");
    for (const path of ["/entries", "/usage", "/statement?month=2026-11&"])
      assert.equal(
        (await read(`${path}${path.includes("?") ? "" : "?"}token=${other.token_id}`)).json().code,
        "token_not_found",
      );
    assert.equal((await read("/usage")).json().items[0].decisions, 1);
    const statement = (await read("/statement?month=2026-11")).json();
    assert.deepEqual(
      [statement.token_id, statement.opening_micro, statement.closing_micro, statement.movements.length],
      [agent.token_id, 100_000, 100_000 - PRICE, 1],
    );
    const owner = (await read(`/entries?token=${other.token_id}`, token)).json().items;
    assert.equal(owner[0].charge_id, foreign.charge_id);
    assert.equal((await read("/entries", token)).json().items.length, 3);
  });

  test("a sub-token gets 403 main_token_required for everything else, without an effect", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const { token_id, wallet_token } = await openToken(fixture, token);
    const me = "/v1/wallets/me";
    const refused = [
      ["PATCH", me, { label: "mine" }],
      ["DELETE", me, undefined],
      ["POST", `${me}/rotate`, { grace_seconds: 0 }],
      ["POST", `${me}/tokens`, { name: "more" }],
      ["GET", `${me}/tokens`, undefined],
      ["DELETE", `${me}/tokens/${token_id}`, undefined],
      ["GET", `${me}/entitlements`, undefined],
      ["POST", "/v1/purchases", { sku: "custom-head", ref: "mine" }],
      ["POST", "/v1/topup", { amount_micro: 10_000 }],
      ["GET", "/v1/topups", undefined],
    ] as const;
    for (const [method, path, body] of refused) {
      const answer = await fixture.ask(path, { method, token: wallet_token, ...(body !== undefined && { body }) });
      assert.deepEqual([answer.statusCode, answer.json().code], [403, "main_token_required"], `${method} ${path}`);
    }
    const wallet = (await fixture.ask(me, { token })).json();
    assert.deepEqual([wallet.status, wallet.label, wallet.balance_micro], ["active", null, 100_000]);
  });

  test("DELETE revokes a token immediately, rotation keeps it, and closing the wallet revokes it", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const first = await openToken(fixture, token);
    const two = await openToken(fixture, token);
    const path = `/v1/wallets/me/tokens/${first.token_id}`;
    const stranger = await fixture.openWallet("eve@example.org");
    const denied = await fixture.ask(path, { method: "DELETE", token: stranger.token });
    assert.equal(denied.json().code, "token_not_found");
    assert.equal((await fixture.ask(path, { method: "DELETE", token })).statusCode, 204);
    assert.equal((await fixture.ask(path, { method: "DELETE", token })).json().code, "token_not_found");
    const state = async (of: string) => (await fixture.ask("/v1/wallets/me", { token: of })).statusCode;
    assert.deepEqual([await state(first.wallet_token), await state(two.wallet_token)], [401, 200]);
    const rotated = await fixture.ask("/v1/wallets/me/rotate", { token, body: { grace_seconds: 0 } });
    assert.equal(await state(two.wallet_token), 200);
    await fixture.ask("/v1/wallets/me", { method: "DELETE", token: rotated.json().wallet_token });
    assert.equal(await state(two.wallet_token), 401);
  });

  test("a repeated creation with the same key returns the same token; the 101st active token gets 409", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const body = { name: "agent" };
    const ask = (key: string) => fixture.ask("/v1/wallets/me/tokens", { token, key, body });
    const first = await ask("k");
    const again = await ask("k");
    assert.deepEqual([again.body, again.headers["idempotency-replayed"]], [first.body, "true"]);
    for (let made = 1; made < 100; made++) {
      fixture.pass(1);
      await openToken(fixture, token);
    }
    fixture.pass(1);
    assert.deepEqual([(await ask("k2")).json().code, (await ask("k2")).statusCode], ["too_many_tokens", 409]);
    await fixture.ask(`/v1/wallets/me/tokens/${first.json().token_id}`, { method: "DELETE", token });
    assert.equal((await ask("k2")).statusCode, 201);
    const page = (await fixture.ask("/v1/wallets/me/tokens?limit=60", { token })).json();
    const rest = (await fixture.ask(`/v1/wallets/me/tokens?limit=60&cursor=${page.next_cursor}`, { token })).json();
    assert.deepEqual([page.items.length, rest.items.length, rest.items.at(-1).state], [60, 41, "revoked"]);
  });
});
