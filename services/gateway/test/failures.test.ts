import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { sharedFixture, until, type Reply } from "./support/create-fixture.ts";
import { isCharge, openWire } from "./support/wire.ts";

const BODY = { state: "will it rain" };
const outcomeOf = ({ status, json, headers }: Reply) => [status, json.code, headers.get("retry-after")];

async function createFailureFixture() {
  await using opened = new AsyncDisposableStack();
  const common = await sharedFixture();
  const router = opened.use(await openWire(common.routerUrl));
  const rail = opened.use(await openWire(common.railUrl));
  const gateway = opened.use(
    await common.openGateway({ ROUTER_INTERNAL_URL: router.url, RAIL_INTERNAL_URL: rail.url }),
  );
  const wallet = await common.openWallet();
  const parts = opened.move();
  return {
    router,
    rail,
    gateway,
    wallet,
    ask: (signal?: AbortSignal) =>
      gateway.ask("/v1/route", { token: wallet.token, body: BODY, ...(signal && { signal }) }),
    health: async () => (await gateway.ask("/health")).status,
    balance: () => common.balance(wallet),
    entries: () => common.entries(wallet),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

describe("without a rail", () => {
  test("nothing is served or billed later, and service resumes when the rail is back", async () => {
    await using play = await createFailureFixture();
    assert.equal((await play.ask()).status, 200);
    await play.rail.cut();
    const refused = await Promise.all([play.ask(), play.ask()]);
    for (const answer of refused) {
      assert.deepEqual(outcomeOf(answer), [503, "rail_unavailable", "1"]);
      assert.equal(answer.json.action, undefined);
    }
    await until("the gateway reports that it is degraded", async () => (await play.health()) === 503);
    const { json } = await play.gateway.ask("/health");
    assert.deepEqual([json.status, json.router.status, json.rail.status], ["degraded", "ok", "degraded"]);
    assert.equal((await play.gateway.ask("/readyz")).status, 503);
    await play.rail.mend();
    await until("it serves paid decisions again", async () => (await play.ask()).status === 200);
    await until("it is healthy again", async () => (await play.health()) === 200);
    assert.equal(await play.balance(), 99_000);
  });

  test("during the charge, the decision is discarded", async () => {
    await using play = await createFailureFixture();
    await play.ask();
    play.rail.hold("questions", isCharge);
    const refused = await play.ask();
    assert.deepEqual(outcomeOf(refused), [503, "rail_unavailable", "1"]);
    assert.ok(!refused.text.includes("get_weather"));
    play.rail.release();
    await until("it serves paid decisions again", async () => (await play.ask()).status === 200);
    assert.equal(await play.balance(), 99_000);
  });
});

describe("without a router", () => {
  test("nothing is charged, health reports it, and service resumes when the router is back", async () => {
    await using play = await createFailureFixture();
    await play.router.cut();
    assert.deepEqual(outcomeOf(await play.ask()), [503, "router_unavailable", "1"]);
    await until("the gateway reports that it is degraded", async () => (await play.health()) === 503);
    assert.equal((await play.gateway.ask("/readyz")).status, 503);
    await play.router.mend();
    await until("it is healthy again", async () => (await play.health()) === 200);
    assert.equal((await play.ask()).status, 200);
    assert.equal(await play.balance(), 99_500);
  });

  test("that responds in time, returns 503 within two seconds", async () => {
    await using play = await createFailureFixture();
    play.router.hold();
    assert.deepEqual(outcomeOf(await play.ask()), [503, "router_unavailable", "1"]);
    play.router.release();
    await until("it serves paid decisions again", async () => (await play.ask()).status === 200);
    assert.equal(await play.balance(), 99_500);
  });

  test("that responds correctly, returns 502 without a charge: internal errors, invalid bodies, a rejected token", async () => {
    await using play = await createFailureFixture();
    const unknown = JSON.stringify({ code: "planted_code" });
    const ours = JSON.stringify({ code: "token_invalid", detail: "injected detail", status: 401 });
    for (const [status, body] of [
      [500, "{}"],
      [503, ours],
      [200, "hello"],
      [200, "[]"],
      [201, "{}"],
      [400, unknown],
      [401, ours],
      [404, "no such page"],
      [302, ""],
    ] as const) {
      play.router.answer(status, body);
      const answer = await play.ask();
      assert.deepEqual(outcomeOf(answer), [502, "router_failed", "1"], `${status} ${body}`);
      assert.ok(!answer.text.includes("planted"));
    }
    play.router.release();
    assert.equal((await play.ask()).status, 200);
    assert.equal(await play.balance(), 99_500);
  });

  test("that returns a complete object, returns 502 without a charge, even if the response is marked as a decision", async () => {
    await using play = await createFailureFixture();
    const marked = {
      "content-type": "application/json; charset=utf-8",
      "server-timing": "parse;dur=0.1, decide;dur=0.1",
    };
    for (const body of ["", "{}", "[1]", "null", '{"action":"delegate"', '"{decided}"', "<html></html>"]) {
      play.router.answer(200, body, marked);
      assert.deepEqual(outcomeOf(await play.ask()), [502, "router_failed", "1"], body);
    }
    for (const headers of [{ ...marked, "content-type": "text/html" }, { "content-type": "application/json" }]) {
      play.router.answer(200, "{decided}", headers);
      assert.deepEqual(outcomeOf(await play.ask()), [502, "router_failed", "1"]);
    }
    play.router.answer(200, '{"action":"delegate"}', { ...marked, "x-request-id": "req_of_another" });
    assert.deepEqual(outcomeOf(await play.ask()), [502, "router_failed", "1"]);
    play.router.answer(200, '{"action":"delegate"}', { ...marked, "content-length": "50", connection: "close" });
    assert.equal((await play.ask()).status, 503);
    play.router.release();
    assert.equal(await play.balance(), 100_000);
  });

  test("of two, uses the other one; healthy routers take turns", async () => {
    const common = await sharedFixture();
    await using firstRouter = await openWire(common.routerUrl);
    await using two = await openWire(common.routerUrl);
    await using gateway = await common.openGateway({ ROUTER_INTERNAL_URL: `${firstRouter.url},${two.url}/` });
    const { token } = await common.openWallet();
    const ask = async () => (await gateway.ask("/v1/noul", { token, body: BODY })).status;
    for (let count = 0; count < 10; count++) assert.equal(await ask(), 200);
    assert.deepEqual([firstRouter.received.length, two.received.length], [5, 5]);
    await firstRouter.cut();
    const answers = await Promise.all(Array.from({ length: 10 }, ask));
    assert.deepEqual(new Set(answers), new Set([200]));
    assert.deepEqual([firstRouter.received.length, two.received.length], [5, 15]);
    await firstRouter.mend();
    await until("the first router is used again", async () => (await ask()) === 200 && firstRouter.received.length > 5);
  });
});

describe("a client that disconnects", () => {
  test("while the router decides is not charged at all", async () => {
    await using play = await createFailureFixture();
    play.router.hold();
    const leaving = new AbortController();
    const call = assert.rejects(play.ask(leaving.signal), { name: "AbortError" });
    await play.router.untilBlocked(1);
    leaving.abort();
    await call;
    const inFlight = async () => (await play.gateway.ask("/metrics")).text.match(/calls_in_flight\{[^}]*\} (\d+)/)?.[1];
    await until("the router has received the request", async () => (await inFlight()) === "0");
    play.router.release();
    assert.equal((await play.ask()).status, 200);
    assert.deepEqual(
      (await play.entries()).map(({ kind }) => kind),
      ["starter", "charge"],
    );
  });

  test("during the charge is refunded", async () => {
    await using play = await createFailureFixture();
    play.rail.hold("answers", isCharge);
    const leaving = new AbortController();
    const call = assert.rejects(play.ask(leaving.signal), { name: "AbortError" });
    await play.rail.untilBlocked(1);
    assert.equal(await play.balance(), 99_500);
    leaving.abort();
    await call;
    play.rail.release();
    await until("the charge has been reversed", async () => (await play.balance()) === 100_000);
    assert.deepEqual(
      (await play.entries()).map(({ kind }) => kind),
      ["starter", "charge", "void"],
    );
  });
});

test("a client that retries without a key on 429, 503 and broken connections pays once per received response", async () => {
  await using play = await createFailureFixture();
  let calls = 0;
  const insist = () =>
    until("the call gets a response", async () => {
      calls++;
      const answer = await play.ask().catch(() => null);
      assert.ok(answer === null || [200, 429, 502, 503].includes(answer.status), answer?.text);
      return answer?.status === 200;
    });
  const clients = [insist(), insist(), insist()];
  await play.router.cut();
  clients.push(insist());
  await play.router.mend();
  play.router.answer(500, "{}");
  clients.push(insist(), insist());
  await until("some calls were rejected", () => calls > 20);
  await play.rail.cut();
  play.router.release();
  await play.rail.mend();
  await Promise.all(clients);
  await until(
    "the rail has received the end of every charge",
    async () => (await play.balance()) === 100_000 - clients.length * 500,
  );
});

test("if the response store fails, responses that need it are 503 before the charge", async () => {
  const common = await sharedFixture();
  const folder = await mkdtemp(join(tmpdir(), "triptych-gateway-store-"));
  await using gateway = await common.openGateway({ TRIPTYCH_DATA: folder, ...common.tokens });
  const wallet = await common.openWallet();
  const question = { type: "score", criteria: ["calm", "somewhat annoyed", "wants money back"] };
  const questions = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`q${index}`, question]));
  const ask = (key: string) =>
    gateway.ask("/v1/systemone", { bearer: wallet.token, key, body: { state: "x", questions } });
  const database = new DatabaseSync(join(folder, "gateway.db"));
  database.exec("drop table answer");
  const refused = await ask("one");
  assert.deepEqual(outcomeOf(refused), [503, "not_ready", "1"]);
  assert.equal((await gateway.ask("/readyz")).status, 503);
  assert.equal(await common.balance(wallet), 100_000);
  database.close();
  await gateway.stop();
  await rm(folder, { recursive: true });
});
