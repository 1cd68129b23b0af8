/**
 * The pricing document. The decision price is a constant shared with the rail; all other terms come from the rail's
 * catalog.
 */
import {
  CUSTOM_HEAD_SKU,
  DECISION_PRICE_MICRO,
  isSold,
  PAY_CENTS,
  PAY_DECISIONS,
  QUESTIONS_MAX,
  routingEndpoints,
  routingLimits,
  TOPUP_MIN_STRIPE_MICRO,
} from "@triptych/contracts";
import type { RailTerms } from "./billing.ts";

export interface PricingParts {
  readonly railUrl: string;
  readonly terms: RailTerms;
  readonly perMinute: number;
  readonly perWallet: number;
}

const NEVER_CHARGED = [
  "any status outside 2xx",
  "GET, HEAD and OPTIONS",
  "heads, feedback and shadow decisions",
  "replays of an Idempotency-Key",
  "explanations, and additional questions in a call",
  "answers that were not delivered",
];

export function pricingBody({ railUrl, terms, perMinute, perWallet }: PricingParts) {
  return {
    currency: "EUR",
    unit: "decision",
    price: { amount_micro: DECISION_PRICE_MICRO, decisions_per_cent: PAY_DECISIONS / PAY_CENTS },
    billing: {
      wallet_required: true,
      header: "X-Rail-Wallet",
      charged_when: "a 200 response with a decision has been delivered, including `delegate` and `abstain`",
      never_charged: NEVER_CHARGED,
      questions_per_decision: QUESTIONS_MAX,
    },
    custom_head: {
      sku: CUSTOM_HEAD_SKU,
      amount_micro: terms.customHeadMicro,
      once: true,
      includes: ["all versions", "retraining", "the head file", "use on a router"],
    },
    starter_credit: terms.starter_credit,
    topup: { url: `${railUrl}/v1/topup`, ...terms.topup, card_min_micro: TOPUP_MIN_STRIPE_MICRO },
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
