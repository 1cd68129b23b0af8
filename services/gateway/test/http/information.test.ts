import assert from "node:assert/strict";
import { test } from "node:test";
import { CUSTOM_HEAD_SKU, DECISION_PRICE_MICRO, TOPUP_MIN_STRIPE_MICRO } from "@triptych/contracts";
import { Validator } from "@seriousme/openapi-schema-validator";
import { sharedFixture } from "../support/create-fixture.ts";

test("prices match the rail and the code, and limits match the router", async () => {
  const fixture = await sharedFixture();
  const pricing = (await fixture.ask("/pricing")).json;
  const appliance = (await fixture.askRouter("/pricing")).json;
  const catalog = (await fixture.askRail("/v1/catalog")).json;
  const { token } = await fixture.openWallet();
  const { price_micro } = (await fixture.askRail("/v1/wallets/me", { token })).json;
  assert.deepEqual(pricing.price, { amount_micro: DECISION_PRICE_MICRO, decisions_per_cent: 20 });
  assert.equal(price_micro, pricing.price.amount_micro);
  const item = catalog.items.find(({ sku }: { sku: string }) => sku === CUSTOM_HEAD_SKU);
  assert.deepEqual([pricing.custom_head.sku, pricing.custom_head.amount_micro], [item.sku, item.amount_micro]);
  assert.deepEqual(pricing.starter_credit, catalog.starter_credit);
  assert.equal(pricing.starter_credit.amount_micro, await fixture.balance({ id: "", token }));
  const { url, card_min_micro, ...bounds } = pricing.topup;
  assert.deepEqual(
    [url, card_min_micro, bounds],
    [`${fixture.railUrl}/v1/topup`, TOPUP_MIN_STRIPE_MICRO, catalog.topup],
  );
  const tooLittle = await fixture.askRail("/v1/topup", { token, body: { amount_micro: bounds.min_micro - 1 } });
  assert.equal(tooLittle.status, 400);
  assert.deepEqual(pricing.rail, { url: fixture.railUrl, jwks: `${fixture.railUrl}/.well-known/jwks.json` });
  assert.deepEqual(pricing.limits, { ...appliance.limits, rate: { decisions_per_minute: 6000, in_flight: 64 } });
  assert.deepEqual(pricing.endpoints, appliance.endpoints);
  const { price, billing } = appliance;
  assert.deepEqual([price.amount_micro, billing.wallet_required, pricing.billing.wallet_required], [0, false, true]);
});

test("health reports the router and the rail", async () => {
  const fixture = await sharedFixture();
  const { status, json } = await fixture.ask("/health");
  const router = (await fixture.askRouter("/health")).json;
  assert.equal(status, 200);
  const { model, trunk, experts } = router;
  assert.deepEqual({ model: json.model, trunk: json.trunk, experts: json.experts }, { model, trunk, experts });
  assert.deepEqual([json.router.status, json.router.url, json.rail], ["ok", fixture.routerUrl, { status: "ok" }]);
  assert.ok(json.router.latency_ms > 0);
});

test("the pages and documents of every service are public", async () => {
  const fixture = await sharedFixture();
  for (const path of ["/livez", "/readyz", "/metrics", "/docs", "/llms.txt", "/problems/wallet_empty", "/v1/models"])
    assert.equal((await fixture.ask(path)).status, 200, path);
  const document = (await fixture.ask("/openapi.json")).json;
  assert.ok((await new Validator().validate(document)).valid);
  const { security, parameters, responses } = document.paths["/v1/route"].post;
  assert.deepEqual(security, [{ header_header: [] }]);
  assert.ok(parameters.some(({ name }: { name: string }) => name === "Idempotency-Key"));
  assert.ok("X-Rail-Receipt" in responses["200"].headers);
  assert.deepEqual(document.paths["/v1/systemone"].post.security, [{ wallet_header: [] }, { wallet_bearer: [] }]);
});

test("browsers on any origin may call the gateway and read the cost of a response", async () => {
  const fixture = await sharedFixture();
  const preflight = {
    method: "OPTIONS",
    headers: { origin: "https://example.org", "access-control-request-method": "POST" },
  };
  const allowed = await fixture.ask("/v1/route", preflight);
  assert.equal(allowed.status, 204);
  const { token } = await fixture.openWallet();
  const { headers } = await fixture.ask("/v1/noul", { token, body: { state: "x" } });
  assert.equal(headers.get("access-control-allow-origin"), "*");
  const exposed = new Set((headers.get("access-control-expose-headers") ?? "").toLowerCase().split(", "));
  const sent = [...headers.keys()].filter((name) => name.startsWith("x-") || name.startsWith("ratelimit"));
  for (const name of [...sent, "server-timing", "idempotency-replayed", "payment-required", "link", "retry-after"])
    assert.ok(exposed.has(name), name);
  assert.ok(sent.length >= 8);
  assert.equal(headers.get("cache-control"), "no-store");
});
