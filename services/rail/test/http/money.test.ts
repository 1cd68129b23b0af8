import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { canonicalJson } from "@triptych/contracts";
import { compactVerify, createLocalJWKSet } from "jose";
import type { Entry } from "../../src/domain/entry.ts";
import type { Ledger } from "../../src/domain/ledger.ts";
import { ProviderUnavailable, type PaymentProvider } from "../../src/domain/payments.ts";
import { createTestProvider } from "../../src/providers/test-provider.ts";
import { openRailScene, type RailScene } from "../support/open-rail-scene.ts";

async function wallet(scene: RailScene, paidMicro = 0) {
  const { id, token } = await scene.openWallet();
  if (paidMicro !== 0) await scene.pay(id, paidMicro);
  return { id, token };
}

async function jwks(scene: RailScene) {
  return createLocalJWKSet((await scene.ask("/.well-known/jwks.json")).json());
}

test("a top-up with the test provider settles at once, each call anew without a key and once with one", async () => {
  await using scene = await openRailScene();
  const { token } = await wallet(scene);
  const topUp = (key?: string, amount_micro = 20_000) =>
    scene.ask("/v1/topup", { token, body: { amount_micro }, ...(key !== undefined && { key }) });
  const answer = await topUp();
  const { topup_id, status, provider, balance_micro, checkout_url } = answer.json();
  assert.deepEqual(
    [answer.statusCode, status, provider, balance_micro, checkout_url],
    [201, "succeeded", "test", 120_000, null],
  );
  assert.equal((await topUp()).json().balance_micro, 140_000);
  const keyed = await topUp("t-1");
  const again = await topUp("t-1");
  assert.deepEqual(
    [keyed.json().balance_micro, again.body, again.headers["idempotency-replayed"]],
    [160_000, keyed.body, "true"],
  );
  assert.equal((await topUp("t-1", 30_000)).json().code, "idempotency_key_reused");
  const shown = (await scene.ask(`/v1/topups/${topup_id}`, { token })).json();
  assert.deepEqual([shown.status, shown.balance_micro], ["succeeded", 160_000]);
});

test("amounts of a top-up are whole cents within the bounds; anything else is 400 and moves nothing", async () => {
  await using scene = await openRailScene();
  const { token } = await wallet(scene);
  for (const amount_micro of [0, 1, 9_999, 10_001, 15_000, 1_000_010_000, -10_000, 10_000.5, "10000", null]) {
    const answer = await scene.ask("/v1/topup", { token, body: { amount_micro } });
    assert.deepEqual([answer.statusCode, answer.json().errors[0].path], [400, "/amount_micro"], String(amount_micro));
  }
  const faults = await scene.ask("/v1/topup", { token, body: { amount_micro: 5, success_url: "ftp://x", amount: 1 } });
  assert.equal(faults.json().errors.length, 3, faults.body);
  assert.deepEqual((await scene.ask("/v1/topups", { token })).json(), { items: [], next_cursor: null });
});

test("a provider that cannot be reached is 503 with Retry-After, and the key is free for another try", async () => {
  let isDown = true;
  const works = createTestProvider();
  const provider = {
    ...works,
    createCheckout: (ask: Parameters<typeof works.createCheckout>[0]) =>
      isDown ? Promise.reject(new ProviderUnavailable("test", "down")) : works.createCheckout(ask),
  };
  await using scene = await openRailScene({ provider });
  const { token } = await wallet(scene);
  const topUp = () => scene.ask("/v1/topup", { token, key: "t", body: { amount_micro: 20_000 } });
  const refused = await topUp();
  assert.deepEqual(
    [refused.statusCode, refused.json().code, refused.headers["retry-after"]],
    [503, "provider_unavailable", "5"],
  );
  isDown = false;
  assert.equal((await topUp()).statusCode, 201);
});

test("while the provider is asked its key is in progress, and afterwards the answer is told again", async () => {
  const works = createTestProvider();
  const asked: string[] = [];
  const first = Promise.withResolvers<void>();
  const provider: PaymentProvider = {
    ...works,
    async createCheckout(ask) {
      asked.push(ask.topupId);
      if (asked.length === 1) await first.promise;
      return works.createCheckout(ask);
    },
  };
  await using scene = await openRailScene({ provider });
  const { token } = await wallet(scene);
  const topUp = () => scene.ask("/v1/topup", { token, key: "t", body: { amount_micro: 20_000 } });
  const slow = topUp();
  while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const busy = await topUp();
  assert.deepEqual(
    [busy.statusCode, busy.json().code, busy.headers["retry-after"]],
    [409, "idempotency_in_progress", "1"],
  );
  first.resolve();
  const { statusCode, body } = await slow;
  assert.deepEqual([statusCode, (await topUp()).body], [201, body]);
  assert.equal(asked.length, 1);
  assert.equal((await scene.ask("/v1/wallets/me", { token })).json().paid_micro, 20_000);
});

test("a frozen wallet pays nothing in and buys nothing: 403", async () => {
  await using scene = await openRailScene();
  const { id, token } = await wallet(scene, 60_000_000);
  await scene.asOperator(`/v1/admin/wallets/${id}/freeze`, { body: { operator: "op", reason: "why" } });
  const refused = [
    await scene.ask("/v1/topup", { token, body: { amount_micro: 20_000 } }),
    await scene.ask("/v1/purchases", { token, body: { sku: "custom-head", ref: "tools" } }),
  ];
  for (const { statusCode, json } of refused) assert.deepEqual([statusCode, json().code], [403, "wallet_frozen"]);
  assert.equal((await scene.ask("/v1/wallets/me", { token })).json().status, "frozen", "but it can be looked at");
});

test("lists of top-ups and entries go on by their cursor, newest first, and know no foreign cursor", async () => {
  await using scene = await openRailScene();
  const { token } = await wallet(scene);
  for (let count = 0; count < 5; count++) {
    scene.pass(1);
    await scene.ask("/v1/topup", { token, body: { amount_micro: 10_000 } });
  }
  for (const [path, name] of [
    ["/v1/topups", "topup_id"],
    ["/v1/wallets/me/entries", "id"],
  ] as const) {
    const seen: string[] = [];
    let next = "";
    do {
      const page = (await scene.ask(`${path}?limit=2${next}`, { token })).json();
      seen.push(...page.items.map((item: Record<string, string>) => item[name]));
      next = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
    } while (next !== "");
    const all = (await scene.ask(path, { token })).json().items;
    assert.deepEqual(
      seen,
      all.map((item: Record<string, string>) => item[name]),
    );
    assert.deepEqual(seen, seen.toSorted().reverse());
    const wrong = await scene.ask(`${path}?cursor=AAAA&limit=0`, { token });
    assert.deepEqual(
      wrong
        .json()
        .errors.map((fault: { path: string }) => fault.path)
        .sort(),
      ["?cursor", "?limit"],
    );
  }
});

test("entries can be asked for by kind and time, and another wallet's things do not exist", async () => {
  await using scene = await openRailScene();
  const { token } = await wallet(scene, 10_000);
  const since = scene.now() + 1000;
  scene.pass(1000);
  const { topup_id } = (await scene.ask("/v1/topup", { token, body: { amount_micro: 10_000 } })).json();
  const kinds = async (query: string) =>
    (await scene.ask(`/v1/wallets/me/entries?${query}`, { token }))
      .json()
      .items.map((item: { kind: string }) => item.kind);
  assert.deepEqual(await kinds("kind=starter,adjustment"), ["adjustment", "starter"]);
  assert.deepEqual(await kinds(`since=${new Date(since).toISOString()}`), ["topup"]);
  assert.deepEqual(await kinds(`until=${new Date(since).toISOString()}`), ["adjustment", "starter"]);
  assert.equal(
    (await scene.ask("/v1/wallets/me/entries?kind=gift&since=yesterday", { token })).json().errors.length,
    2,
  );

  const stranger = await scene.openWallet("eve@example.org");
  await scene.hello();
  const [{ charge_id }] = (await scene.batch({ charges: [scene.charge(token)] })).json().results;
  for (const [path, code] of [
    [`/v1/topups/${topup_id}`, "topup_not_found"],
    [`/v1/wallets/me/charges/${charge_id}`, "charge_not_found"],
    [`/v1/wallets/me/receipts/${charge_id}`, "receipt_not_found"],
  ] as const) {
    assert.equal((await scene.ask(path, { token })).statusCode, 200, path);
    const hidden = await scene.ask(path, { token: stranger.token });
    assert.deepEqual([hidden.statusCode, hidden.json().code], [404, code]);
  }
});

test("usage sums what was billed and not voided, by day, hour and operation", async () => {
  await using scene = await openRailScene();
  const { token } = await wallet(scene);
  await scene.hello();
  const first = scene.charge(token);
  await scene.batch({ charges: [first, scene.charge(token, { op: "score" }), scene.charge(token)] });
  await scene.batch({ voids: [{ seq: first.seq, reason: "client_gone" }] });
  const usage = async (query: string) => (await scene.ask(`/v1/wallets/me/usage?${query}`, { token })).json().items;
  assert.deepEqual(await usage(""), [{ bucket: "2026-11-20", decisions: 2, amount_micro: 1000 }]);
  assert.deepEqual(await usage("by=hour"), [{ bucket: "2026-11-20T12:00:00.000Z", decisions: 2, amount_micro: 1000 }]);
  assert.deepEqual(await usage("by=op"), [
    { bucket: "route", decisions: 1, amount_micro: 500 },
    { bucket: "score", decisions: 1, amount_micro: 500 },
  ]);
  assert.deepEqual(await usage("from=2026-11-01&to=2026-11-19"), []);
  for (const query of ["from=2026-11-02&to=2026-11-01", "from=2026-01-01&to=2026-11-01", "from=2026-02-30", "by=year"])
    assert.equal((await scene.ask(`/v1/wallets/me/usage?${query}`, { token })).statusCode, 400, query);
  const ninety = "from=2026-08-21&to=2026-11-20";
  assert.equal((await usage(ninety)).length, 1);
  const byHour = (await scene.ask(`/v1/wallets/me/usage?${ninety}&by=hour`, { token })).json();
  assert.deepEqual(
    [byHour.errors[0].path, byHour.errors[0].reason, byHour.errors[0].message],
    ["?from", "too_long", "By `hour` the period may have at most 31 days, not 92."],
  );
});

test("a statement holds a month between two balances, and its signature verifies over its canonical form", async () => {
  await using scene = await openRailScene();
  const { token } = await wallet(scene, 40_000);
  scene.pass(12 * 86_400_000);
  await scene.ask("/v1/topup", { token, body: { amount_micro: 10_000 } });
  const statement = async (month: string, format = "json") =>
    scene.ask(`/v1/wallets/me/statement?month=${month}&format=${format}`, { token });
  const november = (await statement("2026-11")).json();
  const december = (await statement("2026-12")).json();
  assert.deepEqual([november.opening_micro, november.closing_micro, november.movements.length], [0, 140_000, 2]);
  assert.deepEqual([december.opening_micro, december.closing_micro], [140_000, 150_000]);
  assert.deepEqual((await statement("2027-01")).json().opening_micro, 150_000);
  assert.deepEqual((await statement("2026-10")).json().closing_micro, 0);

  const { signature, ...document } = november;
  const [header, gap, mark] = signature.split(".");
  assert.equal(gap, "");
  const whole = `${header}.${Buffer.from(canonicalJson(document)).toString("base64url")}.${mark}`;
  assert.equal((await compactVerify(whole, await jwks(scene))).protectedHeader.typ, "rail-statement+jwt");

  const csv = await statement("2026-11", "csv");
  assert.match(String(csv.headers["content-type"]), /^text\/csv/);
  assert.equal(csv.headers["x-statement-signature"], signature);
  assert.equal(csv.body.trim().split("\r\n").length, 3);
  for (const query of ["", "?month=2026-13", "?month=2026-11&format=pdf"])
    assert.equal((await scene.ask(`/v1/wallets/me/statement${query}`, { token })).statusCode, 400, query);
});

test("a month that holds more than a statement does is 409 and says how much it may hold", async () => {
  const entry: Entry = {
    walletId: "w",
    id: "e",
    seq: 1,
    kind: "adjustment",
    amountMicro: 1,
    balanceAfterMicro: 1,
    chargeId: null,
    topupId: null,
    reverses: null,
    op: null,
    createdAt: 0,
    prev: "0".repeat(64),
  };
  const between = (ledger: Ledger): Ledger => ({
    ...ledger,
    entries: (_, { limit }) => Promise.resolve(Array.from({ length: limit }, () => entry)),
  });
  await using scene = await openRailScene({ between });
  const { token } = await wallet(scene);
  const answer = await scene.ask("/v1/wallets/me/statement?month=2026-11", { token });
  assert.deepEqual(
    [answer.statusCode, answer.json().code, answer.json().movements_max],
    [409, "statement_too_long", 20_000],
  );
});

test("cells of a statement are no formulas: what an operator writes stands as text", async () => {
  await using scene = await openRailScene();
  const { id, token } = await wallet(scene);
  const body = { amount_micro: 10_000, operator: "op", reason: '=HYPERLINK("x","y")' };
  await scene.asOperator(`/v1/admin/wallets/${id}/adjust`, { body });
  const { body: csv } = await scene.ask("/v1/wallets/me/statement?month=2026-11&format=csv", { token });
  assert.match(csv, /,"'=HYPERLINK\(""x"",""y""\)",/);
});

test("a head is bought once from paid money; promo does not count, and the 402 says what is missing", async () => {
  await using scene = await openRailScene();
  const { id, token } = await wallet(scene, 48_999_999);
  const buy = (ref = "tools", key?: string) =>
    scene.ask("/v1/purchases", { token, body: { sku: "custom-head", ref }, ...(key !== undefined && { key }) });
  const short = await buy();
  const problem = short.json();
  assert.deepEqual([short.statusCode, problem.code], [402, "wallet_empty"]);
  assert.deepEqual(Object.keys(problem.pay), ["rail", "url", "price_cents", "decisions", "header"]);
  assert.deepEqual(
    [problem.pay.url, problem.price_micro, problem.balance_micro],
    ["http://rail.test/v1/topup", 49_000_000, 49_099_999],
  );
  assert.match(problem.detail, /can spend 48999999 on it/);
  assert.match(String(short.headers["link"]), /rel="payment"/);
  assert.ok(short.headers["payment-required"]);
  assert.equal(short.headers["x-meter-balance-micro"], "49099999");

  await scene.pay(id, 1);
  const bought = await buy("tools", "p-1");
  assert.deepEqual([bought.statusCode, bought.json().balance_micro], [201, 100_000]);
  const replayed = await buy("tools", "p-1");
  assert.deepEqual([replayed.statusCode, replayed.body], [201, bought.body]);
  const again = await buy();
  assert.deepEqual([again.statusCode, again.json().purchase_id], [200, bought.json().purchase_id]);
  const { payload } = await compactVerify(bought.json().receipt, await jwks(scene));
  const claims = JSON.parse(Buffer.from(payload).toString());
  assert.deepEqual(
    [claims.jti, claims.op, claims.amt, claims.req],
    [bought.json().purchase_id, "purchase", 49_000_000, undefined],
  );
  const receipt = await scene.ask(`/v1/wallets/me/receipts/${claims.jti}`, { token });
  assert.deepEqual([receipt.body, receipt.headers["content-type"]], [bought.json().receipt, "application/jwt"]);

  const { items } = (await scene.ask("/v1/wallets/me/entitlements", { token })).json();
  assert.deepEqual(
    items.map((item: { ref: string }) => item.ref),
    ["tools"],
  );
  const wallet_hash = createHash("sha256").update(token).digest("hex");
  const check = async (ref: string, hash = wallet_hash) =>
    scene.asGateway(`/internal/v1/entitlements?wallet_hash=${hash}&sku=custom-head&ref=${ref}`);
  assert.deepEqual((await check("tools")).json(), { entitled: true, wallet_id: id });
  assert.deepEqual((await check("other")).json(), { entitled: false, wallet_id: id });
  assert.equal((await check("tools", "0".repeat(64))).json().code, "wallet_not_found");
  assert.equal((await scene.asGateway("/internal/v1/entitlements")).json().errors.length, 3);
});

test("what is not in the catalogue cannot be bought, and names of heads have a form", async () => {
  await using scene = await openRailScene();
  const { token } = await wallet(scene);
  const { items } = (await scene.ask("/v1/catalog")).json();
  assert.deepEqual(
    items.map((item: { sku: string }) => item.sku),
    ["custom-head"],
  );
  const answer = await scene.ask("/v1/purchases", { token, body: { sku: "gold", ref: "Not A Name" } });
  assert.deepEqual(
    answer
      .json()
      .errors.map((fault: { path: string }) => fault.path)
      .sort(),
    ["/ref", "/sku"],
  );
});

test("20 purchases of one thing at once are one movement", async () => {
  await using scene = await openRailScene();
  const { token } = await wallet(scene, 98_000_000);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => scene.ask("/v1/purchases", { token, body: { sku: "custom-head", ref: "tools" } })),
  );
  assert.equal(new Set(answers.map(({ json }) => json().purchase_id)).size, 1);
  assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 1);
  assert.equal((await scene.ask("/v1/wallets/me", { token })).json().paid_micro, 49_000_000);
});
