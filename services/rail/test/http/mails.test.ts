import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachStore } from "../support/on-each-store.ts";
import type { RailScene } from "../support/create-rail-fixture.ts";

const HOUR_MS = 3_600_000;

/** Lets what goes on beside the answer come to its end. */
async function settled(done: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !done() && performance.now() < end;) await turn();
}

/** Time enough for a mail that must not come. */
async function quiet(): Promise<void> {
  for (let turns = 0; turns < 200; turns++) await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function askRecovery(scene: RailScene, email: string): Promise<void> {
  const answer = await scene.ask("/v1/wallets/recover", { body: { email } });
  assert.deepEqual([answer.statusCode, answer.body], [202, ""]);
}

async function recoveryCode(scene: RailScene, email: string): Promise<string> {
  const before = scene.mails.length;
  await askRecovery(scene, email);
  await settled(() => scene.mails.length > before);
  return /#recover=(\S+)/.exec(scene.mails.at(-1)?.text ?? "")?.[1] ?? "";
}

onEachStore("mails", (openRailScene) => {
  test("counts requests without a token by address, also when their bodies are invalid", async () => {
    await using scene = await openRailScene();
    const recover = async () =>
      (await scene.ask("/v1/wallets/recover", { body: { emial: "x" }, from: "192.0.2.9" })).statusCode;
    const statuses: number[] = [];
    for (let count = 0; count < 121; count++) statuses.push(await recover());
    assert.deepEqual([statuses.filter((status) => status === 400).length, statuses.at(-1)], [120, 429]);
  });

  test("recovery answers 202 for every address, with and without a mailer, and writes only to its owner", async () => {
    await using silent = await openRailScene();
    assert.equal((await silent.ask("/v1/wallets/recover", { body: { email: "ada@example.org" } })).statusCode, 202);
    await using scene = await openRailScene({ mail: true });
    const { token } = await scene.openWallet("Ada@example.org");
    await askRecovery(scene, "unknown@example.org");
    await quiet();
    assert.equal(scene.mails.length, 0);
    const code = await recoveryCode(scene, "ada+other@example.org");
    assert.equal(scene.mails.length, 1);
    assert.equal(scene.mails[0]?.to, "Ada@example.org", "as its owner wrote it");
    const redeem = () => scene.ask("/v1/wallets/recover/redeem", { body: { code } });
    const redeemed = await redeem();
    assert.deepEqual([redeemed.statusCode, redeemed.headers["cache-control"]], [200, "no-store"]);
    assert.equal((await scene.ask("/v1/wallets/me", { token })).statusCode, 401, "the lost token ends");
    assert.equal((await scene.ask("/v1/wallets/me", { token: redeemed.json().wallet_token })).statusCode, 200);
    assert.equal((await redeem()).json().errors[0].reason, "used");
    for (const more of ["A", "=", "!"]) {
      const again = await scene.ask("/v1/wallets/recover/redeem", { body: { code: code + more } });
      assert.deepEqual([again.statusCode, again.json().errors[0].reason], [400, "invalid"], more);
    }
  });

  test("links of a wallet that was closed after its mails had left open nothing: no token, no credit", async () => {
    await using scene = await openRailScene({ mode: "live", mail: true });
    const { id, token } = await scene.openWallet("ada@example.org");
    const verify = /#verify=(\S+)/.exec(scene.mails[0]?.text ?? "")?.[1];
    const recover = await recoveryCode(scene, "ada@example.org");
    await scene.ask("/v1/wallets/me", { method: "DELETE", token });
    for (const [path, code] of [
      ["/v1/wallets/recover/redeem", recover],
      ["/v1/wallets/verify", verify],
    ] as const) {
      const answer = await scene.ask(path, { body: { code } });
      assert.deepEqual([answer.statusCode, answer.json().errors?.[0]?.reason], [400, "closed"], path);
    }
    const tokens = scene.database.db.selectFrom("wallet_token").selectAll().where("wallet_id", "=", id);
    assert.deepEqual(await tokens.execute(), []);
  });

  test("a mail holds not a word of whoever made the wallet: his label could be anything, and the address another's", async () => {
    await using scene = await openRailScene({ mode: "live", mail: true });
    const label = "Visit http://elsewhere.test now";
    await scene.ask("/v1/wallets", { body: { email: "ada@example.org", label } });
    await recoveryCode(scene, "ada@example.org");
    const texts = scene.mails.map(({ subject, text }) => subject + text);
    assert.equal(texts.length, 2);
    assert.match(texts[0] ?? "", /made a wallet with this address: wal_\w+\./);
    assert.match(texts[1] ?? "", /^wal_\w+, made on 2026-11-20$/m);
    assert.ok(!texts.join("").includes("elsewhere"), texts.join("\n"));
  });

  test("a code ends after a day, serves one purpose, and a mailbox gets one mail in five minutes", async () => {
    await using scene = await openRailScene({ mail: true });
    await scene.openWallet();
    const code = await recoveryCode(scene, "ada@example.org");
    await askRecovery(scene, "ada@example.org");
    await quiet();
    assert.equal(scene.mails.length, 1);
    assert.equal((await scene.ask("/v1/wallets/verify", { body: { code } })).json().errors[0].reason, "invalid");
    scene.pass(24 * HOUR_MS);
    const late = await scene.ask("/v1/wallets/recover/redeem", { body: { code } });
    assert.deepEqual([late.statusCode, late.json().errors[0].reason], [400, "expired"]);
  });

  test("asking for mails is bounded by the address that asks", async () => {
    await using scene = await openRailScene({ mail: true });
    const ask = () => scene.ask("/v1/wallets/recover", { from: "10.0.0.9", body: { email: "ada@example.org" } });
    for (let count = 0; count < 20; count++) assert.equal((await ask()).statusCode, 202);
    assert.equal((await ask()).statusCode, 429);
  });

  test("a charge that takes the balance below the level sends one mail", async () => {
    await using scene = await openRailScene({ mail: true });
    const { id, token } = await scene.openWallet();
    await scene.ask("/v1/wallets/me", { method: "PATCH", token, body: { low_balance_micro: 99_000 } });
    await scene.hello();
    for (let count = 0; count < 4; count++) await scene.batch({ charges: [scene.charge(token)] });
    await settled(() => scene.mails.length > 0);
    assert.equal(scene.mails.length, 1);
    const [{ to, text }] = scene.mails;
    assert.equal(to, "ada@example.org");
    assert.match(text, new RegExp(`${id} holds 0\\.0985 EUR`));
  });

  test("a level counts from the very next charge on, also where one came just before", async () => {
    await using scene = await openRailScene({ mail: true });
    const { token } = await scene.openWallet();
    await scene.hello();
    const charge = () => scene.batch({ charges: [scene.charge(token)] });
    await charge();
    await quiet();
    await scene.ask("/v1/wallets/me", { method: "PATCH", token, body: { low_balance_micro: 99_500 } });
    await charge();
    await settled(() => scene.mails.length > 0);
    assert.match(scene.mails[0]?.text ?? "", /holds 0\.0990 EUR/);
  });

  test("the page behind a link of a mail keeps its code out of every request", async () => {
    await using scene = await openRailScene();
    const page = await scene.ask("/wallet/link");
    assert.match(String(page.headers["content-security-policy"]), /script-src 'self'/);
    assert.match(page.body, /src="\/wallet\/link\.js"/);
    const script = await scene.ask("/wallet/link.js");
    assert.match(String(script.headers["content-type"]), /^text\/javascript/);
    assert.match(script.body, /history\.replaceState/);
  });
});
