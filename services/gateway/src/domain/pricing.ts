/** The pricing contract. Prices are the rail's: its constants, and for a custom head what its catalogue says today. */
import {
  CUSTOM_HEAD_SKU,
  DECISION_PRICE_MICRO,
  isSold,
  PAY_CENTS,
  PAY_DECISIONS,
  QUESTIONS_MAX,
  routingEndpoints,
  routingLimits,
  STARTER_CREDIT_DAYS,
  STARTER_CREDIT_MICRO,
  TOPUP_MAX_MICRO,
  TOPUP_MIN_MICRO,
  TOPUP_MIN_STRIPE_MICRO,
  TOPUP_STEP_MICRO,
} from "@triptych/contracts";

export interface PricingParts {
  readonly railUrl: string;
  readonly customHeadMicro: number;
  readonly perMinute: number;
  readonly perWallet: number;
}

const NEVER_CHARGED = [
  "any status outside 2xx",
  "GET, HEAD and OPTIONS",
  "heads, feedback and shadow decisions",
  "replays of an Idempotency-Key",
  "explain, and further questions in a call",
  "answers that were not delivered",
];

export function pricingBody({ railUrl, customHeadMicro, perMinute, perWallet }: PricingParts) {
  return {
    currency: "EUR",
    unit: "decision",
    price: { amount_micro: DECISION_PRICE_MICRO, decisions_per_cent: PAY_DECISIONS / PAY_CENTS },
    billing: {
      wallet_required: true,
      header: "X-Rail-Wallet",
      charged_when: "a 200 of a decision has been delivered, `delegate` and `abstain` included",
      never_charged: NEVER_CHARGED,
      questions_per_decision: QUESTIONS_MAX,
    },
    custom_head: {
      sku: CUSTOM_HEAD_SKU,
      amount_micro: customHeadMicro,
      once: true,
      includes: ["all versions", "retraining", "the head file", "use on an appliance"],
    },
    starter_credit: { amount_micro: STARTER_CREDIT_MICRO, days: STARTER_CREDIT_DAYS },
    topup: {
      url: `${railUrl}/v1/topup`,
      step_micro: TOPUP_STEP_MICRO,
      min_micro: TOPUP_MIN_MICRO,
      card_min_micro: TOPUP_MIN_STRIPE_MICRO,
      max_micro: TOPUP_MAX_MICRO,
    },
    rail: { url: railUrl, jwks: `${railUrl}/.well-known/jwks.json` },
    limits: routingLimits({ decisions_per_minute: perMinute, in_flight: perWallet }),
    endpoints: routingEndpoints.map((endpoint) => ({
      method: endpoint.method,
      path: endpoint.path,
      decisions: isSold(endpoint) ? 1 : 0,
    })),
    version: "1",
  };
}
