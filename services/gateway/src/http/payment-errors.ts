import { CUSTOM_HEAD_SKU, DECISION_PRICE_MICRO, type ReachedCap } from "@triptych/contracts";
import { meterHeaders, paymentRequired, Problem, type PaymentCode } from "@triptych/server";
import { StoreUnavailableError } from "../domain/idempotency-store.ts";
import type { Denied } from "../domain/billing.ts";

export interface Addresses {
  readonly url: () => string;
  readonly railUrl: string;
}

const SOON = { "Retry-After": "1" };

export interface PaymentErrors {
  walletRequired(path: string): Problem;
  denied(denied: Denied, path: string): Problem;
  entitlementRequired(offer: HeadOffer): Problem;
}

export interface HeadOffer {
  readonly name: string;
  readonly priceMicro: number;
  readonly balanceMicro: number;
  readonly path: string;
}

export function createPaymentErrors({ url, railUrl }: Addresses): PaymentErrors {
  const payment = (code: PaymentCode, path: string, balanceMicro: number | null) =>
    paymentRequired({ ...linksOf(path), code, priceMicro: DECISION_PRICE_MICRO, balanceMicro });
  return {
    walletRequired: (path) => payment("wallet_required", path, null),
    denied(denied, path) {
      if (denied.kind === "unavailable") return new Problem(denied.code, { headers: SOON });
      const { code, balanceMicro, reached } = denied;
      const headers = balanceMicro === null ? {} : meterHeaders({ ...denied, balanceMicro });
      switch (code) {
        case "wallet_unknown":
          return payment(code, path, null);
        case "wallet_empty":
          return payment(code, path, balanceMicro ?? 0);
        case "wallet_frozen":
        case "operation_not_allowed":
          return new Problem(code, { headers });
        case "cap_reached":
          return new Problem(code, {
            headers,
            members: { ...reached },
            ...(reached && { detail: sentenceOf(reached) }),
          });
        case "idempotency_in_progress":
          return new Problem(code, { headers: SOON });
        case "idempotency_key_reused":
          return new Problem(code);
      }
    },
    entitlementRequired({ name, priceMicro, balanceMicro, path }) {
      const body = { sku: CUSTOM_HEAD_SKU, ref: name };
      const purchase = { method: "POST", url: `${railUrl}/v1/purchases`, body };
      return paymentRequired({ ...linksOf(path), code: "entitlement_required", priceMicro, balanceMicro, purchase });
    },
  };

  function linksOf(path: string) {
    return { railUrl, describedBy: `${url()}/pricing`, resource: url() + path };
  }
}

function sentenceOf({ cap, owner, limit_micro: limit, spent_micro: spent, resets_at: resetsAt }: ReachedCap): string {
  const until = resetsAt === null ? "Ask the owner of the wallet for a higher cap." : `It resets at ${resetsAt}.`;
  return `The ${cap} cap of this ${owner} is ${limit} micro-euros, of which ${spent} are spent. Nothing was billed. ${until}`;
}

/** The problem for a failed store; null for other errors, which are internal. */
export function storeUnavailable(error: unknown): Problem | null {
  return error instanceof StoreUnavailableError ? new Problem("not_ready", { headers: SOON, cause: error }) : null;
}

export function overloaded(): Problem {
  return new Problem("overloaded", { headers: SOON });
}

export function railUnavailable(): Problem {
  return new Problem("rail_unavailable", { headers: SOON });
}

export function routerUnavailable(): Problem {
  return new Problem("router_unavailable", { headers: SOON });
}

export function routerFailed(cause: string): Problem {
  return new Problem("router_failed", { headers: SOON, cause });
}
