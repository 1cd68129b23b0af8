import assert from "node:assert/strict";
import { test } from "node:test";
import type { PaymentProvider } from "../../src/domain/payments.ts";
import { createTestProvider } from "../../src/payment-providers/test-provider.ts";
import { onEachStore } from "../support/on-each-store.ts";
import type { RailFixture } from "../support/create-rail-fixture.ts";

const SETTING = { threshold_micro: 1_000_000, amount_micro: 5_000_000, max_per_month: 3 };
const OFF = { status: "needs_payment_method", stop_reason: null, stopped_at: null };

const patch = (fixture: RailFixture, token: string, body: object) =>
  fixture.ask("/v1/wallets/me", { method: "PATCH", token, body });
const walletOf = async (fixture: RailFixture, token: string) => (await fixture.ask("/v1/wallets/me", { token })).json();
const topUpsOf = async (fixture: RailFixture, token: string) =>
  (await fixture.ask("/v1/topups", { token })).json().items;

/** A wallet with a saved method and 1.0005 EUR, which is one decision above the threshold. */
async function openAtThreshold(fixture: RailFixture) {
  const wallet = await fixture.openWallet();
  await patch(fixture, wallet.token, { auto_topup: SETTING });
  await fixture.ask("/v1/topup", { token: wallet.token, body: { amount_micro: 1_000_000 } });
  const { balance_micro } = await walletOf(fixture, wallet.token);
  const excess = balance_micro - SETTING.threshold_micro;
  const body = { amount_micro: -excess, operator: "test", reason: "spent" };
  await fixture.asOperator(`/v1/admin/wallets/${wallet.id}/adjust`, { body });
  await fixture.hello();
  return wallet;
}

/** Waits for the background work of a charge, which reports no event. */
async function settled(isDone: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 10_000 && !(await isDone()); turn++) await new Promise((resolve) => setImmediate(resolve));
}

onEachStore("automatic top-up", (createRailFixture) => {
  test("is off by default, set by PATCH, and switched off by null", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    assert.equal((await walletOf(fixture, token)).auto_topup, null);
    const set = await patch(fixture, token, { auto_topup: SETTING, label: "agent" });
    assert.deepEqual([set.statusCode, set.json().auto_topup, set.json().label], [200, { ...SETTING, ...OFF }, "agent"]);
    await patch(fixture, token, { label: null });
    assert.deepEqual((await walletOf(fixture, token)).auto_topup, { ...SETTING, ...OFF });
    const off = await patch(fixture, token, { auto_topup: null });
    assert.deepEqual([off.statusCode, off.json().auto_topup], [200, null]);
  });

  test("sends the owner an email about every change of the setting, and about no other change", async () => {
    await using fixture = await createRailFixture({ mail: true });
    const { id, token } = await fixture.openWallet();
    fixture.mails.length = 0;
    await patch(fixture, token, { auto_topup: SETTING });
    await patch(fixture, token, { label: "agent" });
    await patch(fixture, token, { auto_topup: null });
    const texts = fixture.mails.map(({ to, subject, text }) => [to, subject, text.split("\n")[0]]);
    assert.deepEqual(texts, [
      [
        "ada@example.org",
        "Automatic top-up changed",
        `Automatic top-up of ${id} was set: 5.00 EUR when the balance falls below 1.00 EUR, at most 3 times a month.`,
      ],
      [
        "ada@example.org",
        "Automatic top-up changed",
        `Automatic top-up of ${id} was switched off. Its payment method is no longer used.`,
      ],
    ]);
  });

  test("a sub-token can neither change nor see automatic top-up", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    await patch(fixture, token, { auto_topup: SETTING });
    const made = await fixture.ask("/v1/wallets/me/tokens", { token, body: { name: "agent" } });
    const agent: string = made.json().wallet_token;
    for (const auto_topup of [null, { ...SETTING, max_per_month: 100 }]) {
      const refused = await patch(fixture, agent, { auto_topup });
      assert.deepEqual([refused.statusCode, refused.json().code], [403, "main_token_required"]);
    }
    assert.equal((await walletOf(fixture, agent)).auto_topup, null);
    assert.equal((await walletOf(fixture, token)).auto_topup.max_per_month, SETTING.max_per_month);
  });

  test("lists every issue of a setting, and changes nothing", async () => {
    await using fixture = await createRailFixture();
    const { token } = await fixture.openWallet();
    const wrong = { threshold_micro: 0, amount_micro: 12_345, max_per_month: 101, at: "night" };
    const answer = await patch(fixture, token, { label: "new", auto_topup: wrong });
    const paths = answer.json().errors.map(({ path }: { readonly path: string }) => path);
    assert.equal(answer.statusCode, 400);
    assert.deepEqual(paths.toSorted(), [
      "/auto_topup/amount_micro",
      "/auto_topup/at",
      "/auto_topup/max_per_month",
      "/auto_topup/threshold_micro",
    ]);
    const { label, auto_topup } = await walletOf(fixture, token);
    assert.deepEqual([label, auto_topup], [null, null]);
  });

  test("is 400 where payments cannot be made automatically, or below the provider's minimum", async () => {
    await using manual = await createRailFixture({ mode: "live" });
    const { token } = await manual.openWallet();
    const refused = await patch(manual, token, { auto_topup: SETTING });
    assert.deepEqual([refused.statusCode, refused.json().errors[0].path], [400, "/auto_topup"]);
    assert.equal((await patch(manual, token, { auto_topup: null })).statusCode, 200);

    await using dear = await createRailFixture({ provider: { ...createTestProvider(), minimumMicro: 500_000 } });
    const wallet = await dear.openWallet();
    const small = await patch(dear, wallet.token, { auto_topup: { ...SETTING, amount_micro: 490_000 } });
    assert.deepEqual([small.statusCode, small.json().errors[0].path], [400, "/auto_topup/amount_micro"]);
  });

  test("a charge that takes the balance below the threshold tops up once, without delaying the gateway", async () => {
    const works = createTestProvider();
    const response = Promise.withResolvers<void>();
    const { saved } = works;
    assert.ok(saved !== null);
    const slow: PaymentProvider = {
      ...works,
      saved: { ...saved, charge: async (topup) => await response.promise.then(() => saved.charge(topup)) },
    };
    await using fixture = await createRailFixture({ provider: slow });
    const { token } = await openAtThreshold(fixture);
    assert.equal((await walletOf(fixture, token)).auto_topup.status, "active");
    const charged = await fixture.batch({ charges: [fixture.charge(token), fixture.charge(token)] });
    assert.deepEqual(
      charged.json().results.map(({ status }: { readonly status: number }) => status),
      [201, 201],
    );
    response.resolve();
    await settled(async () => (await walletOf(fixture, token)).balance_micro > SETTING.threshold_micro);
    assert.equal((await walletOf(fixture, token)).balance_micro, 1_000_000 - 2 * 500 + 5_000_000);
    const all: readonly { readonly automatic: boolean; readonly status: string; readonly amount_micro: number }[] =
      await topUpsOf(fixture, token);
    const sums = Map.groupBy(all, ({ automatic }) => automatic);
    assert.deepEqual(
      [sums.get(true), sums.get(false)].map((some) => some?.map(({ status, amount_micro }) => [status, amount_micro])),
      [[["succeeded", 5_000_000]], [["succeeded", 1_000_000]]],
    );
  });

  test("the first refusal stops it, is shown in the wallet, and is mailed once", async () => {
    const works = createTestProvider();
    const { saved } = works;
    assert.ok(saved !== null);
    const charge = () => Promise.resolve({ sessionRef: null, refused: "declined" } as const);
    await using fixture = await createRailFixture({ provider: { ...works, saved: { ...saved, charge } }, mail: true });
    const { id, token } = await openAtThreshold(fixture);
    fixture.mails.length = 0;
    await fixture.batch({ charges: [fixture.charge(token)] });
    await settled(async () => fixture.mails.length > 0);
    const { auto_topup, balance_micro } = await walletOf(fixture, token);
    assert.deepEqual(
      [auto_topup.status, auto_topup.stop_reason, auto_topup.stopped_at, balance_micro],
      ["stopped", "declined", new Date(fixture.now()).toISOString(), 999_500],
    );
    await fixture.batch({ charges: [fixture.charge(token)] });
    assert.equal(await fixture.rail.topUps.topUpDue(10), 0);
    const [{ to, subject, text }, ...others] = fixture.mails;
    assert.deepEqual([to, subject, others.length], ["ada@example.org", "Automatic top-up stopped", 0]);
    assert.match(text, new RegExp(`of 5\\.00 EUR for ${id} failed`));
    assert.equal((await patch(fixture, token, { auto_topup: SETTING })).json().auto_topup.status, "active");
  });
});
