import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { sharedFixture, until, type Reply } from "../support/create-fixture.ts";
import { openWire } from "../support/wire.ts";

const BODY = { state: "will it rain" };
const outcomeOf = ({ status, text, headers }: Reply) => ({
  status,
  text,
  receipt: headers.get("x-rail-receipt"),
  charge: headers.get("x-rail-charge"),
  left: headers.get("x-meter-remaining"),
});
const replayed = ({ headers }: Reply) => headers.get("idempotency-replayed");

/** A response above the rail's size limit for encrypted copies. */
function manyQuestions(): unknown {
  const question = { type: "score", criteria: ["calm", "somewhat annoyed", "wants money back"] };
  return {
    state: "x",
    questions: Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`q${index}`, question])),
  };
}

describe("an Idempotency-Key", () => {
  test("repeated, returns the same bytes and receipt without a charge, marked as a replay", async () => {
    const fixture = await sharedFixture();
    const wallet = await fixture.openWallet();
    const ask = () => fixture.ask("/v1/route", { token: wallet.token, key: "k-1", body: BODY });
    const first = await ask();
    const again = await ask();
    assert.equal(first.status, 200);
    assert.equal(replayed(first), null);
    assert.equal(replayed(again), "true");
    assert.deepEqual(outcomeOf(again), outcomeOf(first));
    assert.equal(await fixture.balance(wallet), 99_500);
    const spaced = await fixture.ask("/v1/route", {
      token: wallet.token,
      key: "k-1",
      body: ' { "state" : "will it rain" } ',
    });
    assert.deepEqual(outcomeOf(spaced), outcomeOf(first));
  });

  test("is replayed by another gateway, after a token rotation, and with an empty wallet", async () => {
    const fixture = await sharedFixture();
    await using other = await fixture.openGateway({});
    const wallet = await fixture.openWallet({ decisions: 1 });
    const key = randomUUID();
    const first = await fixture.ask("/v1/route", { token: wallet.token, key, body: BODY });
    await until(
      "the response is delivered",
      async () => (await fixture.chargeState(wallet, outcomeOf(first).charge)) === "delivered",
    );
    assert.equal((await fixture.ask("/v1/route", { token: wallet.token, body: BODY })).status, 402);
    const elsewhere = await other.ask("/v1/route", { token: wallet.token, key, body: BODY });
    assert.deepEqual([outcomeOf(elsewhere), replayed(elsewhere)], [outcomeOf(first), "true"]);
    const rotated = await fixture.askRail("/v1/wallets/me/rotate", { token: wallet.token, body: { grace_seconds: 0 } });
    const anew = await fixture.ask("/v1/route", { token: rotated.json.wallet_token, key, body: BODY });
    assert.deepEqual([outcomeOf(anew), replayed(anew)], [outcomeOf(first), "true"]);
  });

  test("with another payload gets 422 without a charge; other operations and wallets have separate keys", async () => {
    const fixture = await sharedFixture();
    const [wallet, other] = [await fixture.openWallet(), await fixture.openWallet()];
    const key = "the-same";
    assert.equal((await fixture.ask("/v1/route", { token: wallet.token, key, body: BODY })).status, 200);
    const reused = await fixture.ask("/v1/route", { token: wallet.token, key, body: { state: "another" } });
    assert.deepEqual(
      [reused.status, reused.json.code, reused.json.error.code],
      [422, "idempotency_key_reused", "idempotency_key_reused"],
    );
    assert.equal(await fixture.balance(wallet), 99_500);
    const operation = await fixture.ask("/v1/decide", { token: wallet.token, key, body: BODY });
    const owner = await fixture.ask("/v1/route", { token: other.token, key, body: BODY });
    for (const answer of [operation, owner]) assert.deepEqual([answer.status, replayed(answer)], [200, null]);
  });

  test("stores a response too large for the rail, and another gateway finds it", async () => {
    const fixture = await sharedFixture();
    await using other = await fixture.openGateway({});
    const wallet = await fixture.openWallet();
    const options = { bearer: wallet.token, key: "large", body: manyQuestions() };
    const first = await fixture.ask("/v1/systemone", options);
    assert.equal(first.status, 200);
    assert.ok(first.bytes.length > 16_384);
    const again = await fixture.ask("/v1/systemone", options);
    assert.deepEqual([outcomeOf(again), replayed(again)], [outcomeOf(first), "true"]);
    await until(
      "the response is delivered",
      async () => (await fixture.chargeState(wallet, outcomeOf(first).charge)) === "delivered",
    );
    const elsewhere = await other.ask("/v1/systemone", options);
    assert.deepEqual([outcomeOf(elsewhere), replayed(elsewhere)], [outcomeOf(first), "true"]);
    assert.equal(await fixture.balance(wallet), 99_500);
  });

  test("that was delivered is replayed even if every router is down or would reject it; new requests are not served", async () => {
    const fixture = await sharedFixture();
    await using wire = await openWire(fixture.routerUrl);
    await using gateway = await fixture.openGateway({ ROUTER_INTERNAL_URL: wire.url });
    const wallet = await fixture.openWallet();
    const ask = (key: string, body: unknown = BODY) => gateway.ask("/v1/route", { token: wallet.token, key, body });
    const first = await ask("k-1");
    await until(
      "the response is delivered",
      async () => (await fixture.chargeState(wallet, outcomeOf(first).charge)) === "delivered",
    );
    wire.answer(404, JSON.stringify({ code: "expert_not_found", detail: "It is gone." }));
    const again = await ask("k-1");
    assert.deepEqual([outcomeOf(again), replayed(again)], [outcomeOf(first), "true"]);
    assert.equal((await ask("k-2")).status, 404);
    await wire.cut();
    const later = await ask("k-1");
    assert.deepEqual([outcomeOf(later), replayed(later)], [outcomeOf(first), "true"]);
    for (const reply of [await ask("k-2"), await ask("k-1", { state: "another" })])
      assert.deepEqual([reply.status, reply.json.code], [503, "router_unavailable"]);
    assert.equal(await fixture.balance(wallet), 99_500);
  });

  test("of a call in progress waits for it and shares its response", async () => {
    const fixture = await sharedFixture();
    const wallet = await fixture.openWallet();
    const ask = () => fixture.ask("/v1/route", { token: wallet.token, key: "twins", body: BODY });
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    assert.equal(new Set(answers.map((answer) => JSON.stringify(outcomeOf(answer)))).size, 1);
    assert.equal(answers.filter((answer) => replayed(answer) === "true").length, 3);
    assert.equal(await fixture.balance(wallet), 99_500);
  });

  test("in use at another gateway gets 409, and is charged once after that gateway releases it", async () => {
    const fixture = await sharedFixture();
    const wallet = await fixture.openWallet();
    const elsewhere = await fixture.chargeElsewhere(wallet, {
      key: "live",
      request: { method: "POST", path: "/v1/route", body: BODY },
    });
    const ask = () => fixture.ask("/v1/route", { token: wallet.token, key: "live", body: BODY });
    const refused = await ask();
    assert.deepEqual([refused.status, refused.json.code], [409, "idempotency_in_progress"]);
    assert.equal(refused.headers.get("retry-after"), "1");
    await elsewhere.giveUp();
    assert.equal(await fixture.balance(wallet), 100_000);
    assert.deepEqual([(await ask()).status, await fixture.balance(wallet)], [200, 99_500]);
  });

  test("whose charge timed out after two seconds is not served for free, and is charged once when the rail is back", async () => {
    const fixture = await sharedFixture();
    await using wire = await openWire(fixture.railUrl);
    await using gateway = await fixture.openGateway({ RAIL_INTERNAL_URL: wire.url });
    const wallet = await fixture.openWallet();
    const ask = () => gateway.ask("/v1/route", { token: wallet.token, key: "slow", body: BODY });
    assert.equal((await gateway.ask("/v1/heads", { token: wallet.token })).status, 200);
    wire.hold();
    const refused = await ask();
    assert.deepEqual([refused.status, refused.json.code], [503, "rail_unavailable"]);
    // The delayed charge arrives long after its call was rejected and the charge was aborted.
    wire.release();
    await until("the key gets a response", async () => (await ask()).status === 200);
    assert.equal(await fixture.balance(wallet), 99_500);
  });
});

describe("without a key", () => {
  test("two equal calls are two decisions", async () => {
    const fixture = await sharedFixture();
    const wallet = await fixture.openWallet();
    const headers = { "x-stainless-retry-count": "1" };
    const ask = () => fixture.ask("/v1/route", { token: wallet.token, body: BODY, headers });
    const [first, two] = [await ask(), await ask()];
    assert.notEqual(outcomeOf(first).charge, outcomeOf(two).charge);
    assert.equal(await fixture.balance(wallet), 99_000);
  });
});
