/** The payment provider that the configuration names. */
import { ConfigError } from "@triptych/server";
import type { RailConfig } from "./config.ts";
import type { PaymentProvider } from "./domain/payments.ts";
import { createManualProvider } from "./providers/manual-provider.ts";
import { createStripeProvider } from "./providers/stripe-provider.ts";
import { createTestProvider } from "./providers/test-provider.ts";

export function paymentProvider(config: RailConfig, now: () => number): PaymentProvider {
  switch (config.RAIL_PROVIDER) {
    case "test":
      return createTestProvider();
    case "manual":
      return createManualProvider();
    case "stripe": {
      const {
        RAIL_STRIPE_SECRET_KEY: secretKey,
        RAIL_STRIPE_WEBHOOK_SECRETS: secrets,
        RAIL_STRIPE_URL: apiUrl,
      } = config;
      if (secretKey === undefined || secrets === undefined)
        throw new ConfigError([
          "RAIL_STRIPE_SECRET_KEY and RAIL_STRIPE_WEBHOOK_SECRETS: both are needed with RAIL_PROVIDER=stripe",
        ]);
      return createStripeProvider({ secretKey, webhookSecrets: secrets.split(","), apiUrl, now });
    }
  }
}
