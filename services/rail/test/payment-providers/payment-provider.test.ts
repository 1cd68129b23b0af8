import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "@triptych/config";
import { paymentProvider } from "../../src/payment-provider.ts";

const base = { NODE_ENV: "production", RAIL_ALLOW_TEST_PAYMENTS: "0" } as const;
const stripe = {
  ...base,
  RAIL_PROVIDER: "stripe",
  RAIL_STRIPE_SECRET_KEY: "sk_live_secret",
  RAIL_STRIPE_WEBHOOK_SECRETS: "whsec_new, whsec_old",
} as const;
const open = (config: Parameters<typeof paymentProvider>[0]) => paymentProvider(config, () => 0);

test("each provider has its minimum top-up, and only Stripe sends events", async () => {
  const providers = await Promise.all([
    open({ ...base, RAIL_PROVIDER: "test" }),
    open({ ...base, RAIL_PROVIDER: "manual" }),
    open(stripe),
  ]);
  assert.deepEqual(
    providers.map(({ name, minimumMicro, verifyWebhook }) => [name, minimumMicro, verifyWebhook !== null]),
    [
      ["test", 10_000, false],
      ["manual", 10_000, false],
      ["stripe", 500_000, true],
    ],
  );
});

test("rejects Stripe without its secrets, or with test keys in production, by name and never by value", async () => {
  const cases = [
    { ...stripe, RAIL_STRIPE_SECRET_KEY: undefined },
    { ...stripe, RAIL_STRIPE_SECRET_KEY: "hunter2" },
    { ...stripe, RAIL_STRIPE_WEBHOOK_SECRETS: undefined },
    { ...stripe, RAIL_STRIPE_WEBHOOK_SECRETS: "whsec_a,hunter2" },
    { ...stripe, RAIL_STRIPE_SECRET_KEY: "sk_test_hunter2" },
    { ...stripe, RAIL_STRIPE_SECRET_KEY: "rk_test_hunter2" },
  ];
  for (const config of cases)
    await assert.rejects(
      open(config),
      (error) =>
        error instanceof ConfigError && /RAIL_STRIPE_/.test(error.message) && !error.message.includes("hunter2"),
    );
  await open({ ...stripe, RAIL_STRIPE_SECRET_KEY: "sk_test_x", RAIL_ALLOW_TEST_PAYMENTS: "1" });
  await open({ ...stripe, RAIL_STRIPE_SECRET_KEY: "sk_test_x", NODE_ENV: "development" });
});
