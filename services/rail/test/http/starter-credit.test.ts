import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeStarter } from "../../src/domain/starter-credit.ts";
import { onEachStore } from "../support/on-each-store.ts";
import type { RailFixture } from "../support/create-rail-fixture.ts";

const DAY_MS = 86_400_000;
let made = 0;

async function create(fixture: RailFixture, from: string, email = `person-${++made}@example.org`): Promise<string> {
  const answer = await fixture.ask("/v1/wallets", { from, body: { email } });
  return answer.statusCode === 201 ? answer.json().starter_credit.status : answer.json().code;
}

onEachStore("starter credit", (createRailFixture) => {
  test("grants the credit to every wallet in mode test", async () => {
    await using fixture = await createRailFixture();
    for (let count = 0; count < 15; count++)
      assert.equal(await create(fixture, "10.1.1.1", "one@example.org"), "granted");
  });

  test("in mode live an address gets the credit once, in any spelling, even after its wallet was closed", async () => {
    await using fixture = await createRailFixture({ mode: "live" });
    const first = await fixture.ask("/v1/wallets", { from: "10.1.1.1", body: { email: "Ada@Example.org" } });
    assert.deepEqual(first.json().starter_credit, { amount_micro: 100_000, status: "granted" });
    await fixture.ask("/v1/wallets/me", { method: "DELETE", token: first.json().wallet_token });
    const second = await fixture.ask("/v1/wallets", { from: "10.2.2.2", body: { email: "ada+again@example.org" } });
    assert.deepEqual(second.json().starter_credit, { amount_micro: 0, status: "already_used" });
    assert.equal(second.json().balance_micro, 0);
  });

  test("grants the credit to one of the wallets created concurrently for one address", async () => {
    await using fixture = await createRailFixture({ mode: "live" });
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => create(fixture, `10.9.9.${index}`, "race@example.org")),
    );
    assert.deepEqual(answers.sort(), ["already_used", "already_used", "already_used", "already_used", "granted"]);
  });

  test("a network gets the credit 3 times a day and 10 times in 30 days; IPv6 counts by /64", async () => {
    await using fixture = await createRailFixture({ mode: "live" });
    const statuses: string[] = [];
    for (let day = 0; day < 5; day++) {
      for (let count = 0; count < 4; count++) statuses.push(await create(fixture, `2001:db8:1:2::${count + 1}`));
      fixture.pass(DAY_MS);
    }
    const granted = statuses.map((status) => (status === "granted" ? "+" : "-")).join("");
    assert.equal(granted, "+++-+++-+++-+-------");
    assert.equal(await create(fixture, "2001:db8:1:3::1"), "granted", "another network");
    fixture.pass(30 * DAY_MS);
    assert.equal(await create(fixture, "2001:db8:1:2::1"), "granted");
  });

  test("in mode live an 11th wallet from one address within an hour is 429", async () => {
    await using fixture = await createRailFixture({ mode: "live" });
    for (let count = 0; count < 10; count++) assert.notEqual(await create(fixture, "10.1.1.1"), "rate_limited");
    const refused = await fixture.ask("/v1/wallets", { from: "10.1.1.1", body: { email: "a@example.org" } });
    assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [429, "3600"]);
    assert.notEqual(await create(fixture, "10.1.1.2"), "rate_limited");
  });

  test("starter credit above 20 EUR a day in total is deferred", () => {
    const now = 100 * DAY_MS;
    const judge = judgeStarter({ mode: "live", mustVerify: false, emailLookup: "e", network: "n", now });
    const grants = (count: number, at = now - 1000) =>
      Array.from({ length: count }, (_, index) => {
        return { emailLookup: `e${index}`, network: `n${index}`, amountMicro: 100_000, at };
      });
    assert.equal(judge(grants(199)), "granted");
    assert.equal(judge(grants(200)), "deferred");
    assert.equal(judge(grants(200, now - DAY_MS)), "granted", "yesterday's do not count");
  });

  test("with a mailer, known and unknown addresses get the same response, and the code in the email grants the credit once", async () => {
    await using fixture = await createRailFixture({ mode: "live", mail: true });
    const first = await fixture.ask("/v1/wallets", { body: { email: "ada@example.org" } });
    const second = await fixture.ask("/v1/wallets", { body: { email: "ada@example.org" } });
    for (const { json } of [first, second])
      assert.deepEqual(json().starter_credit, { amount_micro: 0, status: "pending_verification" });
    assert.equal(fixture.mails.length, 2);
    const codes = fixture.mails.map(({ text }) => /#verify=(\S+)/.exec(text)?.[1] ?? "");
    const verify = (code: string) => fixture.ask("/v1/wallets/verify", { body: { code } });
    const granted = (await verify(codes[0])).json();
    assert.deepEqual(
      [granted.wallet_id, granted.balance_micro, granted.starter_credit],
      [first.json().wallet_id, 100_000, { amount_micro: 100_000, status: "granted" }],
    );
    const again = await verify(codes[0]);
    assert.deepEqual([again.statusCode, again.json().errors[0].reason], [400, "used"]);
    assert.equal((await verify(codes[1])).json().starter_credit.status, "already_used");
    assert.equal((await verify("v1.x.y")).json().errors[0].reason, "invalid");
  });

  test("an operator creates wallets for others, without credit in mode live", async () => {
    await using fixture = await createRailFixture({ mode: "live" });
    const answer = await fixture.asOperator("/v1/admin/wallets", { body: { email: "ada@example.org" } });
    assert.deepEqual([answer.statusCode, answer.json().balance_micro], [201, 0]);
    assert.match(answer.json().wallet_token, /^rail_live_/);
    assert.equal((await fixture.ask("/v1/wallets/me", { token: answer.json().wallet_token })).statusCode, 200);
  });
});
