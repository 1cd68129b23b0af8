import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sharedFixture, type Asking, type Fixture, type Wallet } from "../support/create-fixture.ts";

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  reset_password: [
    "reset my password",
    "I forgot my password",
    "change password",
    "password lost",
    "new password please",
    "unlock my login",
  ],
  refund: [
    "I want my money back",
    "refund my order",
    "return the lamp for a refund",
    "give me a refund",
    "money back please",
    "refund the invoice",
  ],
  delivery: [
    "where is my parcel",
    "when does it arrive",
    "track my delivery",
    "the parcel is late",
    "delivery status",
    "has it been shipped",
  ],
};
const GREETINGS = ["hi", "hello", "please", "well", "so", "now"];

function headInput(name: string, more: Readonly<Record<string, unknown>> = {}) {
  const routes = Object.entries(TEXTS).map(([route, texts]) => ({
    route,
    phrasings: texts.map((text) => `{greeting} ${text}`),
  }));
  return { name, routes, slots: { greeting: GREETINGS }, ...more };
}

const PRICE = 49_000_000;

async function buy(fixture: Fixture, wallet: Wallet, name: string): Promise<void> {
  await fixture.pay(wallet, PRICE);
  const body = { sku: "custom-head", ref: name };
  assert.equal((await fixture.askRail("/v1/purchases", { token: wallet.token, body })).status, 201);
}

describe("a head", () => {
  test("requires one purchase per name: 402 contains the purchase request, and no head is created before", async () => {
    const fixture = await sharedFixture();
    const wallet = await fixture.openWallet();
    const make = (options: Asking = {}) =>
      fixture.ask("/v1/heads", { token: wallet.token, body: headInput("acme"), ...options });
    const refused = await make();
    assert.deepEqual([refused.status, refused.json.code], [402, "entitlement_required"], refused.text);
    assert.deepEqual(
      [refused.json.price_micro, refused.json.balance_micro, refused.json.pay.url],
      [PRICE, 100_000, `${fixture.railUrl}/v1/purchases`],
    );
    assert.equal(refused.headers.get("x-meter-remaining"), "200");
    const { method, url, body } = refused.json.purchase;
    assert.deepEqual(
      { method, url, body },
      { method: "POST", url: `${fixture.railUrl}/v1/purchases`, body: { sku: "custom-head", ref: "acme" } },
    );
    assert.deepEqual((await fixture.ask("/v1/heads", { token: wallet.token })).json.data, []);
    const short = await fixture.askRail("/v1/purchases", { token: wallet.token, body });
    assert.equal(short.status, 402, "starter credit cannot pay for heads");
    await fixture.pay(wallet, PRICE);
    assert.equal((await fixture.askRail("/v1/purchases", { token: wallet.token, body })).status, 201);

    const made = await make({ key: "first" });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([made.json.name, made.json.version, made.json.state], ["acme", 1, "live"]);
    assert.equal(made.headers.get("location"), `/v1/heads/${made.json.id}`);
    assert.equal(made.json.links.card, `${fixture.url}/v1/heads/${made.json.id}/card`);
    const repeated = await make({ key: "first" });
    assert.deepEqual([repeated.json.id, repeated.headers.get("idempotency-replayed")], [made.json.id, "true"]);
    const second = await make();
    assert.deepEqual([second.status, second.json.version, second.json.state], [201, 2, "ready"]);
    assert.equal(await fixture.balance(wallet), 100_000);
    assert.equal((await make({ body: headInput("another") })).status, 402);
  });

  test("with issues is rejected before a payment is required", async () => {
    const fixture = await sharedFixture();
    const { token } = await fixture.openWallet();
    const faulty = await fixture.ask("/v1/heads?x=1", {
      token,
      body: headInput("acme", { alpha: 7, seeds: 1 }),
      headers: { prefer: "wait=99" },
    });
    assert.equal(faulty.status, 400);
    const paths = faulty.json.errors.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths.sort(), ["/alpha", "/seeds", "?x", "header:Prefer"]);
    for (const name of ["No Name", 5, undefined, "tools"]) {
      const answer = await fixture.ask("/v1/heads", { token, body: { ...headInput("x"), name } });
      assert.deepEqual([answer.status, answer.json.code], [400, "validation_failed"], String(name));
    }
    const few = Object.keys(TEXTS).map((route) => ({ route, phrasings: [`only ${route}`] }));
    assert.equal(
      (await fixture.ask("/v1/heads", { token, body: headInput("acme", { routes: few, slots: {} }) })).json.code,
      "too_few_examples",
    );
  });

  test("decides for its owner, who can download it, and is invisible to every other wallet", async () => {
    const fixture = await sharedFixture();
    const [owner, other] = [await fixture.openWallet(), await fixture.openWallet()];
    await buy(fixture, owner, "acme");
    const { json: head } = await fixture.ask("/v1/heads", { token: owner.token, body: headInput("acme") });
    assert.equal(head.state, "live", JSON.stringify(head));
    for (const expert of ["acme", head.id]) {
      const decided = await fixture.ask("/v1/route", {
        token: owner.token,
        body: { state: "please reset my password", expert },
      });
      assert.equal(decided.json.route, "reset_password");
      const refused = await fixture.ask("/v1/route", { token: other.token, body: { state: "reset", expert } });
      assert.deepEqual([refused.status, refused.json.code], [404, "expert_not_found"]);
      assert.equal(refused.json.type, `${fixture.url}/problems/expert_not_found`);
    }
    assert.equal(await fixture.balance(other), 100_000);
    const at = `/v1/heads/${head.id}`;
    const file = await fixture.ask(`${at}/artifact`, { token: owner.token });
    assert.deepEqual([file.status, file.headers.get("content-type")], [200, "application/octet-stream"]);
    const etag = file.headers.get("etag") ?? "";
    assert.equal(etag, `"${head.sha256}"`);
    const same = await fixture.ask(`${at}/artifact`, { token: owner.token, headers: { "if-none-match": etag } });
    assert.deepEqual([same.status, same.bytes.length], [304, 0]);
    assert.match((await fixture.ask(`${at}/card`, { token: owner.token })).text, /acme/);
    for (const [path, options] of [
      [at, {}],
      [`${at}/artifact`, {}],
      [`${at}/card`, {}],
      [at, { method: "DELETE" }],
      [`${at}/promote`, { body: {} }],
      [`${at}/shadow`, { body: { enabled: true } }],
    ] as const) {
      const answer = await fixture.ask(path, { token: other.token, ...options });
      assert.deepEqual([answer.status, answer.json.code], [404, "head_not_found"], path);
    }
    const names = async (credential: Asking) =>
      (await fixture.ask("/v1/experts", credential)).json.data.map(({ name }: { name: string }) => name);
    assert.ok((await names({ token: owner.token })).includes("acme"));
    assert.ok((await names({ bearer: owner.token })).includes("acme"));
    for (const credential of [{}, { token: other.token }, { token: "nonsense" }])
      assert.ok(!(await names(credential)).includes("acme"));
    assert.equal((await fixture.ask(at, { token: owner.token, method: "DELETE" })).status, 204);
    assert.equal((await fixture.ask(at, { token: owner.token })).status, 404);
  });
});

describe("heads and feedback", () => {
  test("require a wallet known to the rail, but it may be empty", async () => {
    const fixture = await sharedFixture();
    const empty = await fixture.openWallet({ decisions: 0 });
    const feedback = { expert: "tools", state: "will it rain", route: "get_weather" };
    for (const options of [{}, { token: "nonsense" }])
      for (const [path, more] of [
        ["/v1/heads", {}],
        ["/v1/heads/hed_1", {}],
        ["/v1/heads/hed_1", { method: "DELETE" }],
        ["/v1/feedback", { body: feedback }],
      ] as const)
        assert.equal((await fixture.ask(path, { ...options, ...more })).status, 402, path);
    const feedbackReply = await fixture.ask("/v1/feedback", { token: empty.token, body: feedback });
    assert.deepEqual([feedbackReply.status, feedbackReply.json.accepted], [202, 1]);
    assert.equal(feedbackReply.headers.get("x-meter-remaining"), "0");
    assert.deepEqual((await fixture.ask("/v1/heads", { bearer: empty.token })).json, { object: "list", data: [] });
  });
});
