import {
  STARTER_CREDIT_DAYS,
  STARTER_CREDIT_MICRO,
  TOPUP_MAX_MICRO,
  TOPUP_STEP_MICRO,
  type checkEntitlement,
  type createPurchase,
  type getCatalog,
  type listEntitlements,
} from "@triptych/contracts";
import { paymentRequired, Problem, type RequestContext, type ValidationErrors } from "@triptych/server";
import type { CreatingLedger, PurchaseRecord } from "../domain/ledger.ts";
import type { Rail } from "../domain/rail.ts";
import { answerOnce, type Answered } from "./idempotent-handler.ts";
import { walletOf, type Caller } from "./identify.ts";
import { isoTime, toPurchaseResponse } from "./response-mappers.ts";
import { balanceOf } from "./topups.ts";

export function catalogHandler({ prices, topUps }: Rail) {
  const { name: provider, minimumMicro } = topUps.provider;
  const items = prices.catalog.map(({ sku, priceId, amountMicro, title }) => ({
    sku,
    price_id: priceId,
    amount_micro: amountMicro,
    title,
  }));
  return ({ reply }: RequestContext<typeof getCatalog, Caller>) => {
    reply.header("Cache-Control", "public, max-age=300");
    return {
      items,
      starter_credit: { amount_micro: STARTER_CREDIT_MICRO, days: STARTER_CREDIT_DAYS },
      topup: { provider, step_micro: TOPUP_STEP_MICRO, min_micro: minimumMicro, max_micro: TOPUP_MAX_MICRO },
    };
  };
}

export function createPurchaseHandler(rail: Rail) {
  return {
    async handle(context: RequestContext<typeof createPurchase, Caller>, errors: ValidationErrors): Promise<unknown> {
      const { caller, body } = context;
      const item = rail.prices.catalog.find(({ sku }) => sku === body?.sku);
      if (item === undefined) errors.add(unknownSku(rail));
      errors.refuse();
      if (item === undefined) throw new Problem("not_found");
      const walletId = walletOf(caller).id;
      const input = { context, caller: walletId, operation: "createPurchase" };
      const { purchase, balanceMicro } = await answerOnce(rail, input, (ledger) =>
        buy(rail, ledger, { walletId, ref: body.ref, ...item }),
      );
      return await toPurchaseResponse(rail, purchase, balanceMicro);
    },
  };
}

function unknownSku({ prices }: Rail) {
  const allowed = prices.catalog.map(({ sku }) => sku);
  return { path: "/sku", reason: "not_allowed", message: `\`sku\` must be one of ${allowed.join(", ")}.`, allowed };
}

interface Bought {
  readonly purchase: PurchaseRecord;
  readonly balanceMicro: number;
}

interface Buying {
  readonly walletId: string;
  readonly sku: string;
  readonly ref: string;
  readonly priceId: string;
  readonly amountMicro: number;
}

/** The stored response has no receipt; it is rebuilt from the purchase with the same bytes. */
async function buy(rail: Rail, ledger: CreatingLedger, buying: Buying): Promise<Answered<Bought>> {
  const { walletId, sku, ref, priceId, amountMicro } = buying;
  const balance = () => balanceOf({ ledger, clock: rail.clock }, walletId);
  const outcome = await ledger.buy({ walletId, sku, ref, priceId, amountMicro }, rail.context());
  switch (outcome.kind) {
    case "frozen":
      throw new Problem("wallet_frozen");
    case "too_low":
      throw paymentRequired({
        code: "wallet_empty",
        railUrl: rail.url(),
        describedBy: `${rail.url()}/v1/catalog`,
        resource: `${rail.url()}/v1/purchases`,
        priceMicro: amountMicro,
        balanceMicro: await balance(),
        usableMicro: outcome.balanceMicro,
      });
    case "bought": {
      const { purchase } = outcome;
      return { status: 201, body: { purchase, balanceMicro: purchase.balanceAfterMicro } };
    }
    case "bought_before":
      return { status: 200, body: { purchase: outcome.purchase, balanceMicro: await balance() } };
  }
}

export function listEntitlementsHandler({ ledger }: Rail) {
  return async ({ caller }: RequestContext<typeof listEntitlements, Caller>) => {
    const owned = await ledger.entitlements(walletOf(caller).id);
    const items = owned.map(({ entitlementId, id, sku, ref, createdAt }) => ({
      entitlement_id: entitlementId,
      purchase_id: id,
      sku,
      ref,
      created_at: isoTime(createdAt),
    }));
    return { items };
  };
}

export function checkEntitlementHandler({ ledger, now }: Rail) {
  return async ({ query }: RequestContext<typeof checkEntitlement, Caller>) => {
    const wallet = await ledger.walletOf(query.wallet_hash, now());
    if (wallet === null || wallet.status === "closed") throw new Problem("wallet_not_found");
    const owned = await ledger.entitlement(wallet.id, query.sku, query.ref);
    return { entitled: owned !== null, wallet_id: wallet.id };
  };
}
