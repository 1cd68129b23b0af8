import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { SqliteError, StoreError } from "@triptych/storage";
import { onBothStores } from "../support/on-each-store.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

onBothStores("the service API", (createRailFixture) => {
  test("service endpoints accept only the service token, from any address", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    for (const bearer of [undefined, token, fixture.adminToken, "x"]) {
      const answer = await fixture.ask("/internal/v1/charges", { ...(bearer !== undefined && { bearer }), body: {} });
      assert.deepEqual([answer.statusCode, answer.json().code], [401, "service_token_required"], bearer ?? "none");
    }
    const byHeader = await fixture.ask("/internal/v1/wallets/resolve", { token: fixture.serviceToken, body: {} });
    assert.equal(byHeader.statusCode, 401);
  });

  test("a gateway says hello, resolves a token by its hash, and charges it with a receipt", async () => {
    await using fixture = await createRailFixture();
    const { id, token } = await fixture.openWallet();
    assert.deepEqual((await fixture.hello()).json(), { voided: 0, lease_seconds: 30 });
    const resolve = (text: string) =>
      fixture.asGateway("/internal/v1/wallets/resolve", { body: { wallet_hash: hash(text) } });
    const uncapped = { spendable_micro: 100_000, ops: null, reached: null };
    const resolved = { wallet_id: id, status: "active", balance_micro: 100_000, ...uncapped };
    assert.deepEqual((await resolve(token)).json(), resolved);
    assert.equal((await resolve("other")).json().code, "wallet_not_found");

    const charge = fixture.charge(token);
    const first = await fixture.batch({ charges: [charge] });
    const [result] = first.json().results;
    assert.deepEqual(
      [result.seq, result.status, result.amount_micro, result.balance_micro, result.wallet_seq],
      [charge.seq, 201, 500, 99_500, 2],
    );
    assert.equal((await fixture.batch({ charges: [charge] })).body, first.body, "the same attempt gets the same bytes");
    const delivered = (await fixture.ask(`/v1/wallets/me/charges/${result.charge_id}`, { token })).json();
    assert.deepEqual([delivered.state, delivered.receipt], ["posted", result.receipt]);
    await fixture.batch({ ack: { through: charge.seq } });
    assert.equal(
      (await fixture.ask(`/v1/wallets/me/charges/${result.charge_id}`, { token })).json().state,
      "delivered",
    );
  });

  test("rejects a repeated attempt for another wallet, and an operation that is never charged here", async () => {
    await using fixture = await createRailFixture();
    const [first, two] = [await fixture.openWallet(), await fixture.openWallet()];
    await fixture.hello();
    const charge = fixture.charge(first.token);
    await fixture.batch({ charges: [charge] });
    const again = await fixture.batch({ charges: [{ ...charge, wallet_hash: hash(two.token) }] });
    const refusal = { seq: charge.seq, status: 422, code: "idempotency_key_reused" };
    assert.deepEqual(again.json(), { results: [refusal] });
    const bought = await fixture.batch({ charges: [fixture.charge(first.token, { op: "purchase" })] });
    assert.deepEqual([bought.statusCode, bought.json().code], [400, "validation_failed"]);
    assert.equal(bought.json().errors[0].path, "/charges/0/op");
  });

  test("finds the delivered charge of a key only for the same request and operation, and only after delivery", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    await fixture.hello();
    const charge = fixture.charge(token, { key: "k-1", response: "sealed-answer" });
    const { wallet_hash, op, req } = charge;
    const find = async (more: Readonly<Record<string, unknown>> = {}) => {
      const body = { wallet_hash, key: "k-1", op, req, ...more };
      return (await fixture.asGateway("/internal/v1/charges/delivered", { body })).json();
    };
    assert.deepEqual(await find(), { charge: null });
    const [result] = (await fixture.batch({ charges: [charge] })).json().results;
    assert.deepEqual(await find(), { charge: null }, "it may still be reversed");
    await fixture.batch({ ack: { through: charge.seq } });
    const { seq: _, status: __, ...made } = result;
    assert.deepEqual(await find(), { charge: { ...made, response: "sealed-answer" } });
    for (const other of [{ key: "k-2" }, { op: "score" }, { req: "b".repeat(43) }])
      assert.deepEqual(await find(other), { charge: null });
    assert.equal((await find({ wallet_hash: hash("nobody") })).code, "wallet_not_found");
    assert.equal((await find({ key: undefined })).errors[0].path, "/key");
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().balance_micro, 99_500);
  });

  test("reports the error of one charge next to the results of the others", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const poor = await fixture.asOperator("/v1/admin/wallets", { body: { email: "poor@example.org" } });
    await fixture.asOperator(`/v1/admin/wallets/${poor.json().wallet_id}/freeze`, {
      body: { operator: "o", reason: "r" },
    });
    await fixture.hello();
    const delivered = fixture.charge(token, { key: "k-1", response: "sealed-answer" });
    await fixture.batch({ charges: [delivered] });
    await fixture.batch({ ack: { through: delivered.seq } });
    const live = fixture.charge(token, { key: "k-2" });
    await fixture.batch({ charges: [live] });
    const { results } = (
      await fixture.batch({
        charges: [
          fixture.charge("nobody"),
          fixture.charge(poor.json().wallet_token),
          fixture.charge(token, { key: "k-1" }),
          fixture.charge(token, { key: "k-1", req: "b".repeat(43) }),
          fixture.charge(token, { key: "k-2" }),
          fixture.charge(token),
        ],
      })
    ).json();
    assert.deepEqual(
      results.map(({ status, code }: { status: number; code?: string }) => [status, code]),
      [
        [402, "wallet_unknown"],
        [403, "wallet_frozen"],
        [200, undefined],
        [422, "idempotency_key_reused"],
        [409, "idempotency_in_progress"],
        [201, undefined],
      ],
    );
    assert.equal(results[2].response, "sealed-answer");
    assert.equal(results[0].balance_micro, null);
  });

  test("returns the balance of an empty wallet", async () => {
    await using fixture = await createRailFixture({ mode: "live" });
    const made = (await fixture.asOperator("/v1/admin/wallets", { body: { email: "a@example.org" } })).json();
    await fixture.pay(made.wallet_id, 499);
    await fixture.hello();
    const [result] = (await fixture.batch({ charges: [fixture.charge(made.wallet_token)] })).json().results;
    assert.deepEqual([result.status, result.code, result.balance_micro], [402, "wallet_empty", 499]);
  });

  test("rejects a batch with its own prices, more than 64 charges or unknown prices with 400, and applies nothing", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    await fixture.hello();
    const issues = async (batch: Readonly<Record<string, unknown>>) => {
      const answer = await fixture.batch(batch);
      assert.equal(answer.statusCode, 400, answer.body);
      return answer.json().errors.map((issue: { path: string }) => issue.path);
    };
    assert.deepEqual(await issues({ charges: [fixture.charge(token, { amount_micro: 1 })] }), [
      "/charges/0/amount_micro",
    ]);
    assert.deepEqual(await issues({ charges: [fixture.charge(token), fixture.charge(token, { price_id: "free" })] }), [
      "/charges/1/price_id",
    ]);
    assert.deepEqual(await issues({ charges: Array.from({ length: 65 }, () => fixture.charge(token)) }), ["/charges"]);
    assert.deepEqual(await issues({ charges: [fixture.charge(token, { req: "short", key: "a b", qty: 2 })] }), [
      "/charges/0/key",
      "/charges/0/qty",
      "/charges/0/req",
    ]);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().balance_micro, 100_000);
  });

  test("rejects a batch above 2 MiB with 413, whatever its content, and accepts one below", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    await fixture.hello();
    const batch = JSON.stringify({ instance: "gw", boot: "b1", charges: [fixture.charge(token)] });
    const send = (bytes: number) => fixture.asGateway("/internal/v1/charges", { body: batch.padEnd(bytes) });
    const large = await send(2 * 1024 * 1024 + 1);
    assert.deepEqual([large.statusCode, large.json().code], [413, "payload_too_large"]);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().balance_micro, 100_000);
    assert.equal((await send(2 * 1024 * 1024)).statusCode, 200);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().balance_micro, 99_500);
  });

  test("fences a boot that was replaced or whose lease has expired", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    await fixture.hello("b1");
    await fixture.batch({ charges: [fixture.charge(token)] });
    assert.deepEqual((await fixture.hello("b2")).json().voided, 1);
    const fenced = await fixture.batch({ boot: "b1" });
    assert.deepEqual([fenced.statusCode, fenced.json().code], [409, "fenced"]);
    assert.equal((await fixture.hello("b1")).statusCode, 409, "a boot of the past does not come back");
    assert.equal((await fixture.batch({ boot: "b2" })).statusCode, 200);
    fixture.pass(30_000);
    assert.equal((await fixture.batch({ boot: "b2" })).statusCode, 409);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).json().balance_micro, 100_000);
  });

  test("accepts exactly 10 concurrent charges for a wallet of 10 decisions", async () => {
    await using fixture = await createRailFixture({ mode: "live" });
    const made = (await fixture.asOperator("/v1/admin/wallets", { body: { email: "a@example.org" } })).json();
    await fixture.pay(made.wallet_id, 5000);
    await fixture.hello();
    const batches = Array.from({ length: 20 }, () =>
      fixture.batch({ charges: Array.from({ length: 50 }, () => fixture.charge(made.wallet_token)) }),
    );
    const statuses = (await Promise.all(batches)).flatMap(({ json }) =>
      json().results.map(({ status }: { status: number }) => status),
    );
    assert.deepEqual([statuses.length, statuses.filter((status) => status === 201).length], [1000, 10]);
    assert.ok(statuses.every((status) => status === 201 || status === 402));
  });

  test("a rail with a read-only ledger returns 503 with Retry-After and is not ready, and only the log contains the cause", async () => {
    let fault: Error | null = null;
    const failing = <A extends unknown[], R>(verb: (...args: A) => Promise<R>) => {
      return (...args: A): Promise<R> => (fault === null ? verb(...args) : Promise.reject(fault));
    };
    await using fixture = await createRailFixture({
      between: (ledger) => ({
        ...ledger,
        applyBatches: failing(ledger.applyBatches),
        once: failing(ledger.once),
        writeError: () => (fault === null ? ledger.writeError() : Promise.resolve(fault.message)),
      }),
    });
    const { token } = await fixture.openWallet();
    await fixture.hello();
    const asks = () => [
      fixture.batch({ charges: [fixture.charge(token)] }),
      fixture.ask("/v1/wallets", { key: "k", body: { email: "b@example.org" } }),
    ];
    fault = new SqliteError("database or disk is full", 13);
    for (const answer of await Promise.all(asks())) {
      assert.deepEqual([answer.statusCode, answer.json().code, answer.headers["retry-after"]], [503, "not_ready", "1"]);
      assert.ok(!answer.body.includes("disk is full"));
    }
    const ready = await fixture.ask("/readyz");
    assert.deepEqual([ready.statusCode, ready.body.includes("disk is full")], [503, false]);
    assert.match(fixture.lines.join(""), /disk is full/);
    fault = new StoreError("overloaded", "too many wait");
    for (const answer of await Promise.all(asks())) assert.equal(answer.json().code, "overloaded");
    fault = null;
    for (const answer of await Promise.all(asks())) assert.ok(answer.statusCode < 300, answer.body);
    assert.equal((await fixture.ask("/readyz")).statusCode, 200);
  });

  test("deep readiness audits the ledger", async () => {
    await using fixture = await createRailFixture();
    const { id } = await fixture.openWallet();
    assert.equal((await fixture.ask("/readyz?deep=1")).statusCode, 200);
    await fixture.database.db.updateTable("wallet").set({ paid_micro: 7 }).where("id", "=", id).execute();
    assert.equal((await fixture.ask("/readyz?deep=1")).statusCode, 200, "an audit a minute");
    fixture.pass(60_000);
    const deep = await fixture.ask("/readyz?deep=1");
    assert.deepEqual([deep.statusCode, deep.body.includes(id)], [503, false]);
    assert.equal((await fixture.ask("/readyz")).statusCode, 200);
  });

  test("counts voids by reason in the metrics, for every caller", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    await fixture.hello();
    const [first, ...others] = [fixture.charge(token), fixture.charge(token), fixture.charge(token)];
    await fixture.batch({ charges: [first, ...others] });
    await fixture.batch({ voids: [{ seq: first.seq, reason: "client_gone" }] });
    await fixture.hello("b2");
    const { body } = await fixture.ask("/metrics");
    assert.match(body, /rail_voids_total\{reason="client_gone"(?:,service="rail")?\} 1/);
    assert.match(body, /rail_voids_total\{reason="fenced"(?:,service="rail")?\} 2/);
  });

  test("counts charges by result in the metrics", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    await fixture.hello();
    await fixture.batch({ charges: [fixture.charge(token), fixture.charge("nobody")] });
    const { body } = await fixture.ask("/metrics");
    assert.match(body, /rail_charges_total\{result="201"(?:,service="rail")?\} 1/);
    assert.match(body, /rail_charges_total\{result="wallet_unknown"(?:,service="rail")?\} 1/);
  });
});
