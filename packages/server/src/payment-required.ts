/**
 * 402: money is asked for, in one shape for whoever reads it: a problem (RFC 9457) for generic readers, `error` as foreign SDKs
 * expect it, `pay` with the remedy, a Link for browsers and crawlers, and an x402 (version 2) object in the header PAYMENT-REQUIRED
 * for agents. Every service that asks for money asks through here.
 */
import { DECISION_PRICE_MICRO, PAY_CENTS, PAY_DECISIONS, problems, TOPUP_STEP_MICRO } from "@triptych/contracts";
import { Problem } from "./problem.ts";

export type PaymentCode = "wallet_required" | "wallet_unknown" | "wallet_empty" | "entitlement_required";

export interface PaymentAsked {
  readonly code: PaymentCode;
  /** Address of the payment rail. */
  readonly railUrl: string;
  /** Page or document that says what costs how much. */
  readonly describedBy: string;
  /** What the refused call asked for, as an address. */
  readonly resource: string;
  /** What the refused call costs. */
  readonly priceMicro: number;
  /** What the wallet holds; null where no wallet is known. */
  readonly balanceMicro: number | null;
  /** What of the balance may be spent on this, where that is not all: promo money buys no heads. */
  readonly usableMicro?: number;
  /** `entitlement_required`: the exact call to make on the rail. */
  readonly purchase?: Readonly<Record<string, unknown>>;
}

const REMEDY: Readonly<Record<PaymentCode, string>> = {
  wallet_required: "/v1/wallets",
  wallet_unknown: "/v1/wallets",
  wallet_empty: "/v1/topup",
  entitlement_required: "/v1/purchases",
};

export function paymentRequired(asked: PaymentAsked): Problem {
  const { code, railUrl, describedBy, priceMicro, balanceMicro, purchase } = asked;
  const url = railUrl + REMEDY[code];
  const detail = sentence(asked);
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
      "PAYMENT-REQUIRED": Buffer.from(JSON.stringify(x402(asked, { detail, url }))).toString("base64"),
      ...(balanceMicro !== null && meterHeaders(balanceMicro)),
    },
  });
}

/** What is left of a wallet, as headers of an answer to its owner. */
export function meterHeaders(balanceMicro: number): Record<string, string> {
  return {
    "X-Meter-Remaining": String(Math.floor(balanceMicro / DECISION_PRICE_MICRO)),
    "X-Meter-Unit": "decisions",
    "X-Meter-Balance-Micro": String(balanceMicro),
  };
}

function sentence({ code, railUrl, priceMicro, balanceMicro, usableMicro }: PaymentAsked): string {
  switch (code) {
    case "wallet_required":
      return `Send X-Rail-Wallet. A wallet costs nothing: POST ${railUrl}/v1/wallets with {"email":"..."}.`;
    case "wallet_unknown":
      return `${problems.wallet_unknown.explanation} POST ${railUrl}/v1/wallets with {"email":"..."}.`;
    case "wallet_empty": {
      const usable = usableMicro ?? balanceMicro ?? 0;
      return `This costs ${priceMicro} micro-euros and the wallet can spend ${usable} on it. POST ${railUrl}/v1/topup with {"amount_micro":${remedyMicro(priceMicro - usable)}}; the very next call is then accepted.`;
    }
    case "entitlement_required":
      return `This has to be bought once, for ${priceMicro} micro-euros: POST ${railUrl}/v1/purchases with what \`purchase\` holds.`;
  }
}

const SENSIBLE_MICRO = 1_000_000;

/** A top-up that is enough, in the steps that there are. */
function remedyMicro(missingMicro: number): number {
  return Math.max(SENSIBLE_MICRO, Math.ceil(missingMicro / TOPUP_STEP_MICRO) * TOPUP_STEP_MICRO);
}

/** x402 knows schemes by name; ours is no chain: an agent that has a prepaid wallet knows what to do, another one reads `error`. */
function x402(
  { resource, railUrl, priceMicro }: PaymentAsked,
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
