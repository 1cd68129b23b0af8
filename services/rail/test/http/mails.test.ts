import assert from "node:assert/strict";
import { test } from "node:test";
import { watchCapAlerts } from "../../src/domain/cap-alerts.ts";
import { onEachStore } from "../support/on-each-store.ts";
import type { RailFixture } from "../support/create-rail-fixture.ts";

const HOUR_MS = 3_600_000;

/** Waits for background work that continues after the response. */
async function settled(done: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !done() && performance.now() < end;) await nextTick();
}

/** How long to wait for an email that must not be sent. */
async function quiet(): Promise<void> {
  for (let ticks = 0; ticks < 200; ticks++) await nextTick();
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function askRecovery(fixture: RailFixture, email: string): Promise<void> {
  const answer = await fixture.ask("/v1/wallets/recover", { body: { email } });
  assert.deepEqual([answer.statusCode, answer.body], [202, ""]);
}

async function recoveryCode(fixture: RailFixture, email: string): Promise<string> {
  const before = fixture.mails.length;
  await askRecovery(fixture, email);
  await settled(() => fixture.mails.length > before);
  return /#recover=(\S+)/.exec(fixture.mails.at(-1)?.text ?? "")?.[1] ?? "";
}

onEachStore("mails", (createRailFixture) => {
  test("counts requests without a token by address, even if their bodies are invalid", async () => {
    await using fixture = await createRailFixture();
    const recover = async () =>
      (await fixture.ask("/v1/wallets/recover", { body: { emial: "x" }, from: "192.0.2.9" })).statusCode;
    const statuses: number[] = [];
    for (let count = 0; count < 121; count++) statuses.push(await recover());
    assert.deepEqual([statuses.filter((status) => status === 400).length, statuses.at(-1)], [120, 429]);
  });

  test("recovery returns 202 for every address, with and without a mailer, and mails only the owner", async () => {
    await using silent = await createRailFixture();
    assert.equal((await silent.ask("/v1/wallets/recover", { body: { email: "ada@example.org" } })).statusCode, 202);
    await using fixture = await createRailFixture({ mail: true });
    const { token } = await fixture.openWallet("Ada@example.org");
    await askRecovery(fixture, "unknown@example.org");
    await quiet();
    assert.equal(fixture.mails.length, 0);
    const code = await recoveryCode(fixture, "ada+other@example.org");
    assert.equal(fixture.mails.length, 1);
    assert.equal(fixture.mails[0]?.to, "Ada@example.org", "as its owner wrote it");
    const redeem = () => fixture.ask("/v1/wallets/recover/redeem", { body: { code } });
    const redeemed = await redeem();
    assert.deepEqual([redeemed.statusCode, redeemed.headers["cache-control"]], [200, "no-store"]);
    assert.equal((await fixture.ask("/v1/wallets/me", { token })).statusCode, 401, "the lost token ends");
    assert.equal((await fixture.ask("/v1/wallets/me", { token: redeemed.json().wallet_token })).statusCode, 200);
    assert.equal((await redeem()).json().errors[0].reason, "used");
    for (const more of ["A", "=", "!"]) {
      const again = await fixture.ask("/v1/wallets/recover/redeem", { body: { code: code + more } });
      assert.deepEqual([again.statusCode, again.json().errors[0].reason], [400, "invalid"], more);
    }
  });

  test("links in emails to a wallet that has since been closed give no token and no credit", async () => {
    await using fixture = await createRailFixture({ mode: "live", mail: true });
    const { id, token } = await fixture.openWallet("ada@example.org");
    const verify = /#verify=(\S+)/.exec(fixture.mails[0]?.text ?? "")?.[1];
    const recover = await recoveryCode(fixture, "ada@example.org");
    await fixture.ask("/v1/wallets/me", { method: "DELETE", token });
    for (const [path, code] of [
      ["/v1/wallets/recover/redeem", recover],
      ["/v1/wallets/verify", verify],
    ] as const) {
      const answer = await fixture.ask(path, { body: { code } });
      assert.deepEqual([answer.statusCode, answer.json().errors?.[0]?.reason], [400, "closed"], path);
    }
    const tokens = fixture.database.db.selectFrom("wallet_token").selectAll().where("wallet_id", "=", id);
    assert.deepEqual(await tokens.execute(), []);
  });

  test("mails contain no text from the wallet's creator, labels included", async () => {
    await using fixture = await createRailFixture({ mode: "live", mail: true });
    const label = "Visit http://elsewhere.test now";
    await fixture.ask("/v1/wallets", { body: { email: "ada@example.org", label } });
    await recoveryCode(fixture, "ada@example.org");
    const texts = fixture.mails.map(({ subject, text }) => subject + text);
    assert.equal(texts.length, 2);
    assert.match(texts[0] ?? "", /created with this email address: wal_\w+\./);
    assert.match(texts[1] ?? "", /^wal_\w+, created on 2026-11-20$/m);
    assert.ok(!texts.join("").includes("elsewhere"), texts.join("\n"));
  });

  test("a code expires after a day and has one purpose, and a mailbox gets one email in five minutes", async () => {
    await using fixture = await createRailFixture({ mail: true });
    await fixture.openWallet();
    const code = await recoveryCode(fixture, "ada@example.org");
    await askRecovery(fixture, "ada@example.org");
    await quiet();
    assert.equal(fixture.mails.length, 1);
    assert.equal((await fixture.ask("/v1/wallets/verify", { body: { code } })).json().errors[0].reason, "invalid");
    fixture.pass(24 * HOUR_MS);
    const late = await fixture.ask("/v1/wallets/recover/redeem", { body: { code } });
    assert.deepEqual([late.statusCode, late.json().errors[0].reason], [400, "expired"]);
  });

  test("limits mail requests per caller address", async () => {
    await using fixture = await createRailFixture({ mail: true });
    const ask = () => fixture.ask("/v1/wallets/recover", { from: "10.0.0.9", body: { email: "ada@example.org" } });
    for (let count = 0; count < 20; count++) assert.equal((await ask()).statusCode, 202);
    assert.equal((await ask()).statusCode, 429);
  });

  test("a charge that takes the balance below the low-balance level sends one email", async () => {
    await using fixture = await createRailFixture({ mail: true });
    const { id, token } = await fixture.openWallet();
    await fixture.ask("/v1/wallets/me", { method: "PATCH", token, body: { low_balance_micro: 99_000 } });
    await fixture.hello();
    for (let count = 0; count < 4; count++) await fixture.batch({ charges: [fixture.charge(token)] });
    await settled(() => fixture.mails.length > 0);
    assert.equal(fixture.mails.length, 1);
    const [{ to, text }] = fixture.mails;
    assert.equal(to, "ada@example.org");
    assert.match(text, new RegExp(`balance of ${id} is 0\\.0985 EUR`));
  });

  test("a new level applies to the next charge, even right after another charge", async () => {
    await using fixture = await createRailFixture({ mail: true });
    const { token } = await fixture.openWallet();
    await fixture.hello();
    const charge = () => fixture.batch({ charges: [fixture.charge(token)] });
    await charge();
    await quiet();
    await fixture.ask("/v1/wallets/me", { method: "PATCH", token, body: { low_balance_micro: 99_500 } });
    await charge();
    await settled(() => fixture.mails.length > 0);
    assert.match(fixture.mails[0]?.text ?? "", /balance of \S+ is 0\.0990 EUR/);
  });

  test("spend that passes a threshold of a cap sends one mail per threshold and window", async () => {
    await using fixture = await createRailFixture({ mail: true });
    const { id, token } = await fixture.openWallet();
    const caps = { per_day_micro: 2_500 };
    const body = { name: "Buy now!", caps };
    const agent = (await fixture.ask("/v1/wallets/me/tokens", { token, body })).json();
    await fixture.hello();
    const charge = (boot = "b1") => fixture.batch({ boot, charges: [fixture.charge(agent.wallet_token)] });
    for (let count = 0; count < 3; count++) await charge();
    await quiet();
    assert.equal(fixture.mails.length, 0, "60 % are below the first threshold");
    for (const [count, subject] of [
      [1, "80 % of a spending cap is used"],
      [2, "A spending cap is reached"],
    ] as const) {
      await charge();
      await settled(() => fixture.mails.length === count);
      const mail = fixture.mails.at(-1);
      assert.equal(mail?.subject, subject);
      assert.match(mail.text, new RegExp(`daily cap of 0\\.0025 EUR of the token ${agent.token_id} of ${id}`));
      assert.ok(!mail.text.includes("Buy now!"));
    }
    await charge();
    await fixture.ask("/v1/wallets/me", { method: "PATCH", token, body: { label: "x" } });
    await quiet();
    assert.equal(fixture.mails.length, 2);
    fixture.pass(86_400_000);
    await fixture.hello("b2");
    for (let count = 0; count < 4; count++) await charge("b2");
    await settled(() => fixture.mails.length === 3);
  });

  test("no email is sent below the thresholds of the wallet, and a repeated charge after a restart sends no second one", async () => {
    await using fixture = await createRailFixture({ mail: true });
    const { token } = await fixture.openWallet();
    const settings = { caps: { per_month_micro: 1_200 }, alerts: [50] };
    await fixture.ask("/v1/wallets/me", { method: "PATCH", token, body: settings });
    await fixture.hello();
    await fixture.batch({ charges: [fixture.charge(token)] });
    await quiet();
    assert.equal(fixture.mails.length, 0);
    await fixture.batch({ charges: [fixture.charge(token)] });
    await settled(() => fixture.mails.length === 1);
    // Another process on the same store, which has no record of this in memory.
    const alerts = watchCapAlerts(fixture.rail);
    const wallet = (await fixture.ask("/v1/wallets/me", { token })).json();
    await alerts.charged(wallet.wallet_id, null);
    assert.equal(fixture.mails.length, 1);
  });
});
