/** Manual payments (bank transfer): pending until the operator settles them, refunded by hand. */
import { TOPUP_MIN_MICRO } from "@triptych/contracts";
import type { PaymentProvider } from "../domain/payments.ts";

export function createManualProvider(): PaymentProvider {
  return {
    name: "manual",
    minimumMicro: TOPUP_MIN_MICRO,
    createCheckout: ({ topupId }) =>
      Promise.resolve({ sessionRef: `manual_${topupId}`, checkoutUrl: null, expiresAt: null, isPaid: false }),
    fetch: () => Promise.resolve(null),
    refund: () => Promise.resolve(),
    verifyWebhook: null,
  };
}
