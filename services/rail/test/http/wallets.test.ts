import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachStore } from "../support/on-each-store.ts";

const DAY_MS = 86_400_000;

onEachStore("wallets", (createRailFixture) => {
  test("creating a wallet returns 201 with its token, with 200 decisions in mode test, and is never cached", async () => {
    await using fixture = await createRailFixture();
    const answer = await fixture.ask("/v1/wallets", { body: { email: "Ada+shop@Example.org", label: "shop" } });
    assert.equal(answer.statusCode, 201);
    const body = answer.json();
    assert.match(body.wallet_token, /^rail_test_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{7}$/);
    assert.deepEqual(
      [body.currency, body.balance_micro, body.decisions_remaining, body.starter_credit],
      ["EUR", 100_000, 200, { amount_micro: 100_000, status: "granted" }],
    );
    assert.equal(answer.headers["cache-control"], "no-store");
    assert.equal(body.links.topup, "http://rail.test/v1/topup");
  });

  test("the owner sees the balance by bucket, the masked address and the last characters of the token", async () => {
    await using fixture = await createRailFixture();
    const { id, token } = await fixture.openWallet();
    await fixture.pay(id, 10_000);
    const { statusCode, headers, body } = await fixture.ask("/v1/wallets/me", { token });
    const wallet = JSON.parse(body);
    assert.equal(statusCode, 200);
    assert.equal(headers["cache-control"], "no-store");
    assert.deepEqual(
      [wallet.balance_micro, wallet.paid_micro, wallet.promo_micro, wallet.decisions_remaining, wallet.price_micro],
      [110_000, 10_000, 100_000, 220, 500],
    );
    assert.deepEqual(
      [wallet.email_masked, wallet.token_hint, wallet.status],
      ["a***@example.org", token.slice(-4), "active"],
    );
    assert.equal(wallet.promo_expires_at, new Date(fixture.now() + 90 * DAY_MS).toISOString());
    assert.ok(!body.includes(token));
  });

  test("expired promo money is not spendable, even before its entry is written", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    fixture.pass(90 * DAY_MS);
    const { balance_micro, promo_micro, decisions_remaining } = (await fixture.ask("/v1/wallets/me", { token })).json();
    assert.deepEqual([balance_micro, promo_micro, decisions_remaining], [0, 0, 0]);
    await fixture.sweep();
    const { items } = (await fixture.ask("/v1/wallets/me/entries", { token })).json();
    assert.deepEqual(
      [items[0].kind, items[0].amount_micro, items[0].balance_after_micro],
      ["promo_expired", -100_000, 0],
    );
  });

  test("reports all errors of an invalid body and creates nothing", async () => {
    await using fixture = await createRailFixture();
    const answer = await fixture.ask("/v1/wallets", { body: { email: "nobody", label: "x".repeat(81), lable: "y" } });
    assert.deepEqual([answer.statusCode, answer.json().code], [400, "validation_failed"]);
    const paths = answer.json().errors.map((issue: { path: string }) => issue.path);
    assert.deepEqual(paths.sort(), ["/email", "/label", "/lable"]);
    assert.equal((await fixture.ask("/v1/wallets", { body: "{" })).json().code, "invalid_json");
    assert.equal((await fixture.ask("/v1/wallets", { method: "POST" })).statusCode, 400);
    assert.equal((await fixture.ledger.walletHeads()).length, 0);
  });

  test("label and low-balance level can be changed, and the label removed", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const change = (body: unknown) => fixture.ask("/v1/wallets/me", { method: "PATCH", token, body });
    assert.deepEqual((await change({ label: "mine", low_balance_micro: 5000 })).json().label, "mine");
    const cleared = (await change({ label: null })).json();
    assert.deepEqual([cleared.label, cleared.low_balance_micro], [null, 5000]);
    assert.equal((await change({ low_balance_micro: -1 })).statusCode, 400);
    assert.equal((await change({ low_balance_micro: 1.5 })).statusCode, 400);
  });

  test("a missing token gets 401 with a challenge, and mistyped, unknown and other-mode tokens get the same 401", async () => {
    await using fixture = await createRailFixture();
    await using live = await createRailFixture({ mode: "live" });
    const { token } = await fixture.openWallet();
    const missing = await fixture.ask("/v1/wallets/me");
    assert.deepEqual([missing.statusCode, missing.json().code], [401, "wallet_token_required"]);
    assert.equal(missing.headers["www-authenticate"], 'Bearer realm="rail"');
    const mistyped = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
    const other = (await live.openWallet()).token;
    for (const wrong of [
      mistyped,
      fixture.rail.access.mint().token,
      other,
      "x",
      fixture.adminToken,
      fixture.serviceToken,
    ]) {
      const answer = await fixture.ask("/v1/wallets/me", { token: wrong });
      assert.deepEqual([answer.statusCode, answer.json().code], [401, "wallet_token_invalid"], wrong);
    }
    assert.equal((await fixture.ask("/v1/wallets/me", { bearer: token })).statusCode, 200);
    assert.equal((await fixture.ask("/v1/wallets/me", { token, bearer: "x" })).statusCode, 200, "the header wins");
  });

  test("a rotated token expires after its grace period, and the new one is valid immediately", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const answer = await fixture.ask("/v1/wallets/me/rotate", { token, body: { grace_seconds: 60 } });
    const { wallet_token: next, previous_valid_until } = answer.json();
    assert.equal(answer.statusCode, 200);
    assert.equal(previous_valid_until, new Date(fixture.now() + 60_000).toISOString());
    const status = async (walletToken: string) =>
      (await fixture.ask("/v1/wallets/me", { token: walletToken })).statusCode;
    assert.deepEqual([await status(token), await status(next)], [200, 200]);
    fixture.pass(60_000);
    assert.deepEqual([await status(token), await status(next)], [401, 200]);
    assert.equal(
      (await fixture.ask("/v1/wallets/me/rotate", { token: next, body: { grace_seconds: 86_401 } })).statusCode,
      400,
    );
  });

  test("a rotation without grace can be repeated with its key and the expired token", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const rotate = (key: string, grace_seconds = 0) =>
      fixture.ask("/v1/wallets/me/rotate", { token, key, body: { grace_seconds } });
    const first = await rotate("r-1");
    const again = await rotate("r-1");
    assert.deepEqual([again.statusCode, again.headers["idempotency-replayed"]], [200, "true"]);
    assert.equal(again.json().wallet_token, first.json().wallet_token);
    assert.equal((await rotate("r-1", 5)).json().code, "idempotency_key_reused");
    assert.equal((await rotate("r-2")).json().code, "wallet_token_invalid");
    assert.equal((await fixture.ask("/v1/wallets/me", { token: first.json().wallet_token })).statusCode, 200);
  });

  test("one of two concurrent rotations without grace takes effect, and its token stays valid", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const rotate = () => fixture.ask("/v1/wallets/me/rotate", { token, body: { grace_seconds: 0 } });
    const answers = await Promise.all([rotate(), rotate(), rotate()]);
    const made = answers.filter(({ statusCode }) => statusCode === 200);
    assert.equal(made.length, 1);
    for (const answer of answers) assert.ok(made.includes(answer) || answer.json().code === "wallet_token_invalid");
    assert.equal((await fixture.ask("/v1/wallets/me", { token: made[0]?.json().wallet_token })).statusCode, 200);
  });

  test("closing a wallet returns 204, revokes every token, and destroys the encrypted address", async () => {
    await using fixture = await createRailFixture();
    const { id, token } = await fixture.openWallet();
    const response = await fixture.ask("/v1/wallets/me", { method: "DELETE", token, body: { dry_run: true } });
    assert.deepEqual(
      [response.statusCode, response.json().errors[0].path],
      [400, "/dry_run"],
      "a wish that is not known is not ignored",
    );
    assert.equal((await fixture.ask("/v1/wallets/me", { method: "DELETE", token })).statusCode, 204);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().code, "wallet_token_invalid");
    const record = await fixture.ledger.wallet(id);
    assert.deepEqual([record?.status, record?.emailSealed, record?.emailLookup], ["closed", null, null]);
    const wallet = (await fixture.asOperator(`/v1/admin/wallets/${id}`)).json();
    assert.deepEqual([wallet.status, wallet.email_masked, wallet.label], ["closed", null, null]);
  });

  test("a repeated creation with its key returns the same token for a day, and another payload is rejected", async () => {
    await using fixture = await createRailFixture();
    const create = (key: string, email: string) => fixture.ask("/v1/wallets", { key, body: { email } });
    const first = await create("k-1", "ada@example.org");
    const again = await create("k-1", "ada@example.org");
    assert.deepEqual([again.statusCode, again.headers["idempotency-replayed"]], [201, "true"]);
    assert.equal(again.body, first.body);
    assert.equal(first.headers["idempotency-replayed"], undefined);
    const other = await create("k-1", "bob@example.org");
    assert.deepEqual([other.statusCode, other.json().code], [422, "idempotency_key_reused"]);
    assert.equal((await fixture.ledger.walletHeads()).length, 1);
    fixture.pass(DAY_MS);
    assert.notEqual((await create("k-1", "ada@example.org")).json().wallet_id, first.json().wallet_id);
    assert.equal((await create("bad key", "ada@example.org")).json().errors[0].path, "header:Idempotency-Key");
  });

  test("creates one wallet for concurrent creations with one key, and returns its token to all", async () => {
    await using fixture = await createRailFixture();
    const ask = () => fixture.ask("/v1/wallets", { key: "k-1", body: { email: "ada@example.org" } });
    const answers = await Promise.all(Array.from({ length: 12 }, ask));
    assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([201]));
    assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
    assert.equal(answers.filter(({ headers }) => headers["idempotency-replayed"] === undefined).length, 1);
    assert.equal((await fixture.ledger.walletHeads()).length, 1);
  });

  test("a stored response cannot be decrypted with the store and the installation's secret, without the client's key", async () => {
    await using fixture = await createRailFixture();
    const create = (key: string) => fixture.ask("/v1/wallets", { key, body: { email: "ada@example.org" } });
    const { wallet_token: token } = (await create("the-clients-own-key")).json();
    const [row] = await fixture.database.db.selectFrom("once").selectAll().execute();
    assert.ok(row?.answer);
    const text = JSON.stringify(row);
    for (const planted of [token, "the-clients-own-key", "ada@example.org"]) assert.ok(!text.includes(planted));
    // Even the rail cannot decrypt it as the response of another key, because only its own key decrypts it.
    await create("another-key");
    const { answer } = row;
    await fixture.database.db.updateTable("once").set({ answer }).where("name", "<>", row.name).execute();
    const opened = await create("another-key");
    assert.deepEqual([opened.statusCode, opened.json().code], [500, "internal"]);
    assert.match(fixture.lines.join(""), /Cannot decrypt a stored value/);
  });

  test("a wallet may send 600 requests a minute; loopback is exempt only in mode test", async () => {
    await using fixture = await createRailFixture({ mode: "live" });
    const { token } = await fixture.openWallet();
    const ask = (from: string) => fixture.ask("/v1/wallets/me", { token, from });
    for (let count = 0; count < 600; count++) assert.equal((await ask("10.0.0.1")).statusCode, 200);
    const refused = await ask("10.0.0.2");
    assert.deepEqual([refused.statusCode, refused.json().code], [429, "rate_limited"]);
    assert.equal(refused.headers["retry-after"], "60");
    assert.match(String(refused.headers["ratelimit"]), /"minute";r=0;t=60/);
    fixture.pass(60_000);
    assert.equal((await ask("10.0.0.1")).statusCode, 200);
  });

  test("the 31st invalid token a minute from an address is 429; a valid token of its neighbor passes", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const from = "2001:db8::1";
    for (let count = 0; count < 30; count++)
      assert.equal((await fixture.ask("/v1/wallets/me", { token: "wrong", from })).statusCode, 401);
    const refused = await fixture.ask("/v1/admin/keys", { bearer: "wrong", from: "2001:db8::2" });
    assert.deepEqual([refused.statusCode, refused.json().code], [429, "rate_limited"]);
    assert.equal((await fixture.ask("/v1/wallets/me", { token, from })).statusCode, 200);
    assert.equal((await fixture.ask("/v1/wallets/me", { from })).statusCode, 401, "to send none is no attempt");
    for (let count = 0; count < 40; count++)
      assert.equal((await fixture.ask("/v1/wallets/me", { token: "wrong" })).statusCode, 401, "loopback in mode test");
  });
});
