import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedFixture, type Fixture, type Wallet } from "../support/create-fixture.ts";

const BODY = { state: "will it rain" };

async function openToken(fixture: Fixture, { token }: Wallet, body: Readonly<Record<string, unknown>>) {
  const answer = await fixture.askRail("/v1/wallets/me/tokens", { token, body: { name: "agent", ...body } });
  assert.equal(answer.status, 201, answer.text);
  return { id: String(answer.json.token_id), token: String(answer.json.wallet_token) };
}

const meter = ({ headers }: { readonly headers: Headers }) => [
  headers.get("x-meter-remaining"),
  headers.get("x-meter-balance-micro"),
];

test("a sub-token pays from its wallet within its caps, and its headers show what it can still spend", async () => {
  const fixture = await sharedFixture();
  const wallet = await fixture.openWallet();
  const agent = await openToken(fixture, wallet, { caps: { total_micro: 1_000 } });
  const first = await fixture.ask("/v1/route", { token: agent.token, body: BODY });
  assert.deepEqual([first.status, ...meter(first)], [200, "1", "500"]);
  const claims = JSON.parse(
    Buffer.from(first.headers.get("x-rail-receipt")?.split(".")[1] ?? "", "base64url").toString(),
  );
  assert.deepEqual([claims.tok, claims.sub], [agent.id, wallet.id]);
  const second = await fixture.ask("/v1/route", { token: agent.token, key: "k", body: BODY });
  assert.deepEqual([second.status, ...meter(second)], [200, "0", "0"]);

  for (const key of [undefined, "other"]) {
    const refused = await fixture.ask("/v1/route", { token: agent.token, body: BODY, ...(key && { key }) });
    assert.deepEqual([refused.status, ...meter(refused)], [403, "0", "0"], refused.text);
    const { code, cap, owner, limit_micro, spent_micro, resets_at, error } = refused.json;
    assert.deepEqual(
      { code, cap, owner, limit_micro, spent_micro, resets_at },
      { code: "cap_reached", cap: "total", owner: "token", limit_micro: 1_000, spent_micro: 1_000, resets_at: null },
    );
    assert.equal((error as { readonly code: string }).code, "cap_reached");
    assert.equal(refused.headers.get("x-rail-receipt"), null);
    assert.equal(refused.json.label, undefined, "the decision is not delivered");
  }
  const replay = await fixture.ask("/v1/route", { token: agent.token, key: "k", body: BODY });
  assert.deepEqual([replay.status, replay.text, ...meter(replay)], [200, second.text, "0", "0"]);
  const own = await fixture.ask("/v1/route", { token: wallet.token, body: BODY });
  assert.equal(own.status, 200, "the main token can still pay");
});

test("a token without the operation gets 403 operation_not_allowed, and pays for the others", async () => {
  const fixture = await sharedFixture();
  const agent = await openToken(fixture, await fixture.openWallet(), { ops: ["score"] });
  for (const key of [undefined, "k"]) {
    const refused = await fixture.ask("/v1/route", { token: agent.token, body: BODY, ...(key && { key }) });
    assert.deepEqual([refused.status, refused.json.code], [403, "operation_not_allowed"]);
  }
  const paid = await fixture.ask("/v1/score", { token: agent.token, body: BODY });
  assert.equal(paid.status, 200, paid.text);
});

test("the caps of the wallet limit its main token, whose balance header still shows the whole balance", async () => {
  const fixture = await sharedFixture();
  const wallet = await fixture.openWallet();
  const caps = { per_day_micro: 1_000 };
  await fixture.askRail("/v1/wallets/me", { method: "PATCH", token: wallet.token, body: { caps } });
  const paid = await fixture.ask("/v1/route", { token: wallet.token, body: BODY });
  assert.deepEqual([paid.status, paid.headers.get("x-meter-remaining")], [200, "1"]);
  const balance = Number(paid.headers.get("x-meter-balance-micro"));
  assert.ok(balance > 500, String(balance));
  await fixture.ask("/v1/route", { token: wallet.token, body: BODY });
  const refused = await fixture.ask("/v1/route", { token: wallet.token, body: BODY });
  assert.deepEqual([refused.status, refused.json.code, refused.json.owner], [403, "cap_reached", "wallet"]);
  await fixture.askRail("/v1/wallets/me", { method: "PATCH", token: wallet.token, body: { caps: null } });
  assert.equal((await fixture.ask("/v1/route", { token: wallet.token, body: BODY })).status, 200);
});

test("a revoked sub-token gets 402 wallet_unknown on the next decision", async () => {
  const fixture = await sharedFixture();
  const wallet = await fixture.openWallet();
  const agent = await openToken(fixture, wallet, {});
  assert.equal((await fixture.ask("/v1/route", { token: agent.token, body: BODY })).status, 200);
  await fixture.askRail(`/v1/wallets/me/tokens/${agent.id}`, { method: "DELETE", token: wallet.token });
  const refused = await fixture.ask("/v1/route", { token: agent.token, body: BODY });
  assert.deepEqual([refused.status, refused.json.code], [402, "wallet_unknown"]);
});
