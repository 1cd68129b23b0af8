/** Selects the configured payment provider. Stripe's library is loaded only if Stripe is used. */
import { ConfigError } from "@triptych/config";
import type { RailConfig } from "./config.ts";
import type { PaymentProvider } from "./domain/payments.ts";
import { createManualProvider, createTestProvider } from "./payment-providers/test-provider.ts";
import packageFile from "../package.json" with { type: "json" };

const STRIPE = `stripe@${packageFile.dependencies.stripe}`;

type ProviderConfig = Pick<
  RailConfig,
  | "NODE_ENV"
  | "RAIL_PROVIDER"
  | "RAIL_ALLOW_TEST_PAYMENTS"
  | "RAIL_STRIPE_SECRET_KEY"
  | "RAIL_STRIPE_WEBHOOK_SECRETS"
  | "RAIL_STRIPE_URL"
>;

export async function paymentProvider(config: ProviderConfig, now: () => number): Promise<PaymentProvider> {
  switch (config.RAIL_PROVIDER) {
    case "test":
      return createTestProvider();
    case "manual":
      return createManualProvider();
    case "stripe": {
      const secrets = stripeSecrets(config);
      const { createStripeProvider } = await import("./payment-providers/stripe-provider.ts").catch(explainMissing);
      return createStripeProvider({ ...secrets, apiUrl: config.RAIL_STRIPE_URL, now });
    }
  }
}

/** Stripe's library has 23 MB, so the published CLI does not include it. */
function explainMissing(cause: unknown): never {
  const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
  throw isMissing
    ? new ConfigError([`RAIL_PROVIDER: the package stripe is not installed: npm install ${STRIPE}`])
    : cause;
}

/** Stripe's test cards cost nothing, so their credit must not reach a wallet that buys real decisions. */
function stripeSecrets(config: ProviderConfig) {
  const { RAIL_STRIPE_SECRET_KEY: secretKey = "", RAIL_STRIPE_WEBHOOK_SECRETS: secrets = "" } = config;
  const webhookSecrets = secrets.split(",").map((secret) => secret.trim());
  const isTest = /^[sr]k_test_/.test(secretKey);
  const allowsTest = config.NODE_ENV !== "production" || config.RAIL_ALLOW_TEST_PAYMENTS === "1";
  const issues = [
    ...(/^[sr]k_/.test(secretKey)
      ? []
      : ["RAIL_STRIPE_SECRET_KEY: the secret key of the Stripe account, sk_… or a restricted rk_…"]),
    ...(webhookSecrets.every((secret) => secret.startsWith("whsec_"))
      ? []
      : ["RAIL_STRIPE_WEBHOOK_SECRETS: the signing secrets of the webhook, whsec_…, several with commas"]),
    ...(isTest && !allowsTest
      ? ["RAIL_STRIPE_SECRET_KEY: a key of Stripe's test mode; in production only with RAIL_ALLOW_TEST_PAYMENTS=1"]
      : []),
  ];
  if (issues.length > 0) throw new ConfigError(issues);
  return { secretKey, webhookSecrets };
}
