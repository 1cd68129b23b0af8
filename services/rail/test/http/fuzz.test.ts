import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { problems, railContract } from "@triptych/contracts";
import { randomRequest, seeded } from "@triptych/server/testing/requests";
import { createRailFixture, type RailFixture } from "../support/create-rail-fixture.ts";

const NO_IDS = ["wal_none", ...["top", "chg", "pur"].map((prefix) => `${prefix}_${"0".repeat(26)}`)];
/** The long form sends 20,000 requests. */
const COUNT = process.env["TEST_LONG"] === undefined ? 1500 : 20_000;

/** All rows that concern money, as one text. */
async function ledgerText({ ledger }: RailFixture): Promise<string> {
  const rows: unknown[] = [await ledger.walletHeads(), [...(await ledger.accountTotals())]];
  for await (const page of ledger.transfers()) rows.push(page);
  for await (const page of ledger.allEntries()) rows.push(page);
  for await (const page of ledger.allCharges()) rows.push(page);
  return JSON.stringify(rows);
}

/** A wallet with movements, and input values that refer to it. */
async function lived(fixture: RailFixture, life: number) {
  const { id, token } = await fixture.openWallet();
  await fixture.pay(id, 100_000_000);
  const gateway = { instance: "life", boot: `b${life}` };
  await fixture.asGateway("/internal/v1/instances", { body: gateway });
  const [{ charge_id }] = (await fixture.batch({ ...gateway, charges: [fixture.charge(token)] })).json().results;
  const { topup_id } = (await fixture.ask("/v1/topup", { token, body: { amount_micro: 20_000 } })).json();
  const samples = {
    id: [id, charge_id, topup_id],
    wallet_hash: [createHash("sha256").update(token).digest("hex")],
    email: ["ada@example.org", "bob@example.org"],
    instance: ["gw"],
    boot: ["b1", "b2"],
    price_id: ["decision-v1"],
    sku: ["custom-head"],
    ref: ["tools"],
    op: ["route"],
    month: ["2026-11"],
    req: ["a".repeat(43)],
    res: ["a".repeat(43)],
  };
  return { samples, token };
}

test("no generated request gets a 5xx, every error is a known problem, and the ledger stays sound", async () => {
  await using fixture = await createRailFixture();
  let lives = 0;
  let { samples, token } = await lived(fixture, lives);
  await fixture.hello();
  const random = seeded(20_261_121);
  const seen = new Map<number, number>();
  for (let count = 0; count < COUNT; count++) {
    const { method, url, payload, headers } = randomRequest(random, {
      endpoints: railContract.endpoints,
      samples,
      noIds: NO_IDS,
    });
    const credential = url.startsWith("/v1/admin/")
      ? { bearer: fixture.adminToken }
      : url.startsWith("/internal/")
        ? { bearer: fixture.serviceToken }
        : { token };
    const before = random.chance(0.01) ? await ledgerText(fixture) : null;
    const answer = await fixture.ask(url, {
      method,
      ...(random.chance(0.95) && credential),
      headers: { ...headers, ...(random.chance(0.05) && { "stripe-signature": "t=1,v1=00" }) },
      ...(payload !== undefined && { body: payload }),
    });
    const about = `${method} ${url} ${payload} ${JSON.stringify(headers)} -> ${answer.statusCode} ${answer.body.slice(0, 300)}`;
    seen.set(answer.statusCode, (seen.get(answer.statusCode) ?? 0) + 1);
    assert.ok(answer.statusCode < 500, about);
    assert.ok(answer.headers["x-request-id"], about);
    // Continues with another wallet after the wallet was closed or its token was rotated.
    if (answer.statusCode === 204 || answer.body.includes("previous_valid_until"))
      ({ samples, token } = await lived(fixture, ++lives));
    if (answer.statusCode < 400) continue;
    const body = answer.json();
    assert.ok(Object.hasOwn(problems, body.code), about);
    assert.equal(body.status, answer.statusCode, about);
    if (body.code === "validation_failed")
      assert.ok(body.errors.length > 0 && body.errors.every((issue: { message: string }) => issue.message), about);
    if (before !== null) assert.equal(await ledgerText(fixture), before, `a refusal moved something: ${about}`);
  }
  for (const status of [200, 201, 202, 400, 401, 404, 405, 409, 422])
    assert.ok(seen.has(status), `no ${status} among ${JSON.stringify([...seen])}`);
  const report = await fixture.ledger.audit();
  assert.deepEqual(report.violations, []);
  assert.ok(!fixture.lines.some((line) => line.includes('"level":"error"')), "nothing was logged as a fault");
});
