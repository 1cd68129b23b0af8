import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson, problems } from "@triptych/contracts";
import { randomRequest } from "../../router/test/support/random-requests.ts";
import { seeded } from "../../router/test/support/seeded.ts";
import { createFixture } from "./support/create-fixture.ts";

/** The long campaign sends 10 000 requests. */
const COUNT = process.env["TEST_LONG"] === undefined ? 400 : 10_000;

test("no generated request gets a 5xx, rejected requests are free, and each 200 costs one decision", async () => {
  await using fixture = await createFixture({ GATEWAY_RATE: "1000000" });
  const wallet = await fixture.openWallet();
  await fixture.pay(wallet, COUNT * 500);
  const random = seeded(20_261_122);
  const seen = new Map<number, number>();
  let sold = 0;
  for (let count = 0; count < COUNT; count++) {
    const { path, method, headers, body } = randomRequest(random);
    const request = { method, headers, ...(body !== undefined && method !== "GET" && method !== "HEAD" && { body }) };
    const answer = await fixture.ask(path, { ...request, token: wallet.token });
    const about = `${method} ${path} ${body?.slice(0, 500)} -> ${answer.status} ${answer.text.slice(0, 500)}`;
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
    assert.ok(answer.status < 500, about);
    assert.ok(answer.headers.get("x-request-id"), about);
    const isSold = answer.headers.get("x-rail-receipt") !== null;
    if (isSold) sold++;
    if (answer.status === 200 && method === "POST" && isSold)
      assert.equal(answer.text, canonicalJson(answer.json), about);
    if (answer.status < 400 || method === "HEAD") continue;
    assert.equal(isSold, false, about);
    assert.equal(answer.json.status, answer.status, about);
    assert.equal(answer.json.error.code, answer.json.code, about);
    assert.ok(Object.hasOwn(problems, answer.json.code), about);
    assert.ok(!answer.text.includes(fixture.routerUrl), about);
  }
  for (const status of [200, 400, 404, 405, 415, 422])
    assert.ok(seen.has(status), `no ${status} in ${JSON.stringify([...seen])}`);
  assert.ok(sold > COUNT / 20, JSON.stringify([...seen]));
  assert.equal(await fixture.balance(wallet), 100_000 + (COUNT - sold) * 500);
});
