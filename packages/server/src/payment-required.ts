/**
 * The 402 response of every paid service. The problem has `error` for third-party SDKs and `pay` with the remedy. A
 * Link header serves browsers; PAYMENT-REQUIRED (x402, version 2) and WWW-Authenticate (Payment scheme of the Machine
 * Payments Protocol) serve agents.
 */
import { createHash } from "node:crypto";
import {
  canonicalJson,
  DECISION_PRICE_MICRO,
  PAY_CENTS,
  PAY_DECISIONS,
  problems,
  TOPUP_STEP_MICRO,
} from "@triptych/contracts";
import { Problem } from "./problem.ts";

export type PaymentCode = "wallet_required" | "wallet_unknown" | "wallet_empty" | "entitlement_required";

export interface PaymentRequirement {
  readonly code: PaymentCode;
  readonly railUrl: string;
  readonly describedBy: string;
  readonly resource: string;
  readonly priceMicro: number;
  /** Balance of the wallet; null if the wallet is unknown. */
  readonly balanceMicro: number | null;
  /** Spendable part of the balance, if it is not all: promo credit cannot pay for heads. */
  readonly usableMicro?: number;
  /** `entitlement_required`: the exact request to send to the rail. */
  readonly purchase?: Readonly<Record<string, unknown>>;
}

const REMEDY: Readonly<Record<PaymentCode, string>> = {
  wallet_required: "/v1/wallets",
  wallet_unknown: "/v1/wallets",
  wallet_empty: "/v1/topup",
  entitlement_required: "/v1/purchases",
};

export function paymentRequired(requirement: PaymentRequirement): Problem {
  const { code, railUrl, describedBy, priceMicro, balanceMicro, purchase } = requirement;
  const url = railUrl + REMEDY[code];
  const detail = sentence(requirement);
  return new Problem(code, {
    detail,
    members: {
      error: { message: detail, type: "payment_required", code },
      pay: { rail: railUrl, url, price_cents: PAY_CENTS, decisions: PAY_DECISIONS, header: "X-Rail-Wallet" },
      price_micro: priceMicro,
      balance_micro: balanceMicro,
      ...(purchase !== undefined && { purchase }),
    },
    headers: {
      Link: `<${url}>; rel="payment", <${describedBy}>; rel="describedby"`,
      "PAYMENT-REQUIRED": Buffer.from(JSON.stringify(x402(requirement, { detail, url }))).toString("base64"),
      "WWW-Authenticate": paymentChallenge(requirement, url),
      ...(balanceMicro !== null && meterHeaders({ balanceMicro })),
    },
  });
}

export interface MeterReading {
  readonly balanceMicro: number;
  readonly spendableMicro?: number | null;
}

/**
 * Headers with the remaining balance, for the owner of the wallet. `spendableMicro` is what the token can spend within
 * its caps; default: the whole balance.
 */
export function meterHeaders({ balanceMicro, spendableMicro }: MeterReading): Record<string, string> {
  return {
    "X-Meter-Remaining": String(Math.floor((spendableMicro ?? balanceMicro) / DECISION_PRICE_MICRO)),
    "X-Meter-Unit": "decisions",
    "X-Meter-Balance-Micro": String(balanceMicro),
  };
}

function sentence({ code, railUrl, priceMicro, balanceMicro, usableMicro }: PaymentRequirement): string {
  switch (code) {
    case "wallet_required":
      return `Send X-Rail-Wallet. Wallets are free: POST ${railUrl}/v1/wallets with {"email":"..."}.`;
    case "wallet_unknown":
      return `${problems.wallet_unknown.explanation} POST ${railUrl}/v1/wallets with {"email":"..."}.`;
    case "wallet_empty": {
      const usable = usableMicro ?? balanceMicro ?? 0;
      return `This costs ${priceMicro} micro-euros, and the wallet can spend ${usable} on it. POST ${railUrl}/v1/topup with {"amount_micro":${remedyMicro(priceMicro - usable)}}; the next request is then accepted.`;
    }
    case "entitlement_required":
      return `This requires a one-time purchase of ${priceMicro} micro-euros: POST ${railUrl}/v1/purchases with the contents of \`purchase\`.`;
  }
}

const SENSIBLE_MICRO = 1_000_000;

/** The smallest sufficient top-up, rounded up to an allowed step. */
function remedyMicro(missingMicro: number): number {
  return Math.max(SENSIBLE_MICRO, Math.ceil(missingMicro / TOPUP_STEP_MICRO) * TOPUP_STEP_MICRO);
}

/**
 * x402 identifies schemes by name; this one is not a blockchain. Agents with a prepaid wallet know it; others read
 * `error`.
 */
function x402(
  { resource, railUrl, priceMicro }: PaymentRequirement,
  { detail, url }: { readonly detail: string; readonly url: string },
) {
  return {
    x402Version: 2,
    error: detail,
    resource: { url: resource, description: detail, mimeType: "application/json" },
    accepts: [
      {
        scheme: "prepaid-wallet",
        network: "triptych:rail",
        amount: String(priceMicro),
        asset: "EUR",
        payTo: `${railUrl}/v1/wallets`,
        maxTimeoutSeconds: 60,
        extra: { decimals: 6, header: "X-Rail-Wallet", remedy: url },
      },
    ],
  };
}

const METHOD = "triptych";
const INTENT = "charge";

/**
 * The challenge of draft-httpauth-payment. Method names consist of lower-case letters, so the x402 scheme name cannot
 * be used. `header` is an extension of the client mppx: the credential is the wallet token itself, sent in
 * X-Rail-Wallet. Clients never return the challenge, so `id` needs no secret: it is a digest of the terms.
 */
function paymentChallenge({ resource, railUrl, priceMicro }: PaymentRequirement, url: string): string {
  const terms = {
    amount: String(priceMicro),
    // Base units, as the scheme requires; with `eur`, clients would show cents.
    currency: "micro-eur",
    recipient: `${railUrl}/v1/wallets`,
    methodDetails: { header: "X-Rail-Wallet", remedy: url },
  };
  const realm = new URL(resource).host;
  const request = Buffer.from(canonicalJson(terms)).toString("base64url");
  const id = createHash("sha256").update([realm, METHOD, INTENT, request].join("|")).digest("base64url");
  return `Payment id="${id}", realm="${realm}", method="${METHOD}", intent="${INTENT}", request="${request}", header="X-Rail-Wallet"`;
}
