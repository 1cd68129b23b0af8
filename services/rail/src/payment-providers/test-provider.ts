/**
 * Test payments are settled immediately, without money. The service refuses to start with this provider on a public
 * address.
 */
import { TOPUP_MIN_MICRO } from "@triptych/contracts";
import type { PaymentProvider } from "../domain/payments.ts";

export function createTestProvider(): PaymentProvider {
  return {
    name: "test",
    minimumMicro: TOPUP_MIN_MICRO,
    createCheckout: ({ topupId }) =>
      Promise.resolve({ sessionRef: `test_${topupId}`, checkoutUrl: null, expiresAt: null, isPaid: true }),
    fetch: () => Promise.resolve({ kind: "paid" }),
    refund: () => Promise.resolve(),
    saved: {
      methodOf: () => Promise.resolve("test"),
      charge: ({ id }) => Promise.resolve({ sessionRef: `test_${id}`, refused: null }),
      find: ({ id }) => Promise.resolve(`test_${id}`),
    },
    verifyWebhook: null,
  };
}

/** Manual payments (bank transfers) are pending until the operator settles them, and are refunded manually. */
export function createManualProvider(): PaymentProvider {
  return {
    name: "manual",
    minimumMicro: TOPUP_MIN_MICRO,
    createCheckout: ({ topupId }) =>
      Promise.resolve({ sessionRef: `manual_${topupId}`, checkoutUrl: null, expiresAt: null, isPaid: false }),
    fetch: () => Promise.resolve(null),
    refund: () => Promise.resolve(),
    saved: null,
    verifyWebhook: null,
  };
}
