import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedFixture, type Asking } from "../support/create-fixture.ts";
import { openWire } from "../support/wire.ts";

const BODY = { state: "will it rain" };

test("counts decisions per wallet and minute, and nothing else", async () => {
  const fixture = await sharedFixture();
  await using gateway = await fixture.openGateway({ GATEWAY_RATE: "3" });
  const { id, token } = await fixture.openWallet();
  const ask = (options: Asking = {}) => gateway.ask("/v1/noul", { token, body: BODY, ...options });
  const limitOf = async (path: string, options: Asking = {}) =>
    (await gateway.ask(path, options)).headers.get("ratelimit") ?? "none";
  assert.equal(await limitOf("/v1/heads", { token }), '"minute";r=3;t=0');
  for (const path of ["/health", "/v1/nothing", "/v1/models"])
    assert.equal(await limitOf(path), '"minute";r=3;t=0', path);
  assert.equal(await limitOf("/v1/noul", { body: BODY }), '"minute";r=3;t=0');
  for (const left of [2, 1]) {
    const answer = await ask();
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("ratelimit-policy"), '"minute";q=3;w=60');
    assert.match(answer.headers.get("ratelimit") ?? "", new RegExp(`^"minute";r=${left};t=\\d+$`));
  }
  assert.equal(
    (await ask({ body: { stat: 1 } })).status,
    400,
    "a decision that is rejected after its slot was taken still counts",
  );
  const refused = await ask({ body: "{broken" });
  assert.deepEqual(
    [refused.status, refused.json.code, refused.json.error.type],
    [429, "rate_limited", "rate_limit_error"],
  );
  assert.ok(Number(refused.headers.get("retry-after")) <= 60 && Number(refused.headers.get("retry-after")) >= 1);
  assert.match(refused.headers.get("ratelimit") ?? "", /^"minute";r=0;/);
  assert.equal(refused.headers.get("x-meter-remaining"), "198");
  assert.equal((await gateway.ask("/v1/heads", { token })).status, 200);
  assert.match(await limitOf("/v1/experts", { token }), /^"minute";r=0;t=[1-9]/);
  await fixture.asOperator(`/v1/admin/wallets/${id}/freeze`, { operator: "test", reason: "a test" });
  assert.match(await limitOf("/v1/heads", { token }), /^"minute";r=0;t=[1-9]/);
  const other = await fixture.openWallet();
  assert.equal((await ask({ token: other.token })).status, 200);
});

test("limits concurrent calls per wallet and in total, and rejects excess calls immediately", async () => {
  const fixture = await sharedFixture();
  await using wire = await openWire(fixture.routerUrl);
  const bounds = { GATEWAY_CONCURRENCY: "2", GATEWAY_MAX_IN_FLIGHT: "3", ROUTER_INTERNAL_URL: wire.url };
  await using gateway = await fixture.openGateway(bounds);
  const [first, two, three] = [await fixture.openWallet(), await fixture.openWallet(), await fixture.openWallet()];
  const ask = ({ token }: { readonly token: string }) => gateway.ask("/v1/noul", { token, body: BODY });
  wire.hold();
  const blocked = [ask(first), ask(first)];
  await wire.untilBlocked(2);
  const mine = await ask(first);
  assert.deepEqual([mine.status, mine.json.code, mine.headers.get("retry-after")], [429, "rate_limited", "1"]);
  blocked.push(ask(two));
  await wire.untilBlocked(3);
  const shed = await ask(three);
  assert.deepEqual([shed.status, shed.json.code, shed.headers.get("retry-after")], [503, "overloaded", "1"]);
  assert.equal((await gateway.ask("/livez")).status, 200);
  wire.release();
  assert.deepEqual(
    (await Promise.all(blocked)).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await ask(three)).status, 200);
});

test("calls that wait for a training never block decisions", async () => {
  const fixture = await sharedFixture();
  await using wire = await openWire(fixture.routerUrl);
  await using gateway = await fixture.openGateway({ GATEWAY_CONCURRENCY: "100", ROUTER_INTERNAL_URL: wire.url });
  const [first, other] = [await fixture.openWallet(), await fixture.openWallet()];
  wire.hold("questions", ({ path }) => path === "/v1/feedback");
  const body = { expert: "tools", route: "chat", ...BODY };
  const waiting = Array.from({ length: 70 }, () => gateway.ask("/v1/feedback", { token: first.token, body }));
  await wire.untilBlocked(64);
  assert.equal((await gateway.ask("/v1/noul", { token: other.token, body: BODY })).status, 200);
  assert.equal((await gateway.ask("/v1/heads", { token: other.token })).status, 200);
  wire.release();
  assert.ok((await Promise.all(waiting)).every(({ status }) => status === 202));
});
