/** What can be bought once, bought, and owned. */
import type { checkEntitlement, createPurchase, getCatalog, listEntitlements } from "@triptych/contracts";
import { paymentRequired, Problem, type Exchange, type Faults } from "@triptych/server";
import type { Rail } from "../domain/rail.ts";
import { answerOnce } from "./answer-once.ts";
import { walletOf, type Caller } from "./caller.ts";
import { isoTime, shownPurchase } from "./shapes.ts";
import { balanceOf } from "./topups.ts";

export function catalogHandler({ prices }: Rail) {
  const items = prices.catalog.map(({ sku, priceId, amountMicro, title }) => ({
    sku,
    price_id: priceId,
    amount_micro: amountMicro,
    title,
  }));
  return ({ reply }: Exchange<typeof getCatalog, Caller>) => {
    reply.header("Cache-Control", "public, max-age=300");
    return { items };
  };
}

export function createPurchaseHandler(rail: Rail) {
  return {
    async careful(exchange: Exchange<typeof createPurchase, Caller>, faults: Faults): Promise<unknown> {
      const { caller, body } = exchange;
      const item = rail.prices.catalog.find(({ sku }) => sku === body?.sku);
      if (item === undefined) faults.add(unknownSku(rail));
      faults.refuse();
      if (item === undefined) throw new Problem("not_found");
      const walletId = walletOf(caller).id;
      return answerOnce(rail.idempotency, { exchange, caller: walletId, operation: "createPurchase" }, () =>
        buy(rail, { walletId, ref: body.ref, ...item }),
      );
    },
  };
}

function unknownSku({ prices }: Rail) {
  const allowed = prices.catalog.map(({ sku }) => sku);
  return { path: "/sku", reason: "not_allowed", message: `\`sku\` knows only ${allowed.join(", ")}.`, allowed };
}

interface Buying {
  readonly walletId: string;
  readonly sku: string;
  readonly ref: string;
  readonly priceId: string;
  readonly amountMicro: number;
}

async function buy(rail: Rail, { walletId, sku, ref, priceId, amountMicro }: Buying) {
  const outcome = await rail.ledger.buy({ walletId, sku, ref, priceId, amountMicro }, rail.context());
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
        balanceMicro: await balanceOf(rail, walletId),
        usableMicro: outcome.balanceMicro,
      });
    case "bought": {
      const { purchase } = outcome;
      return { status: 201, body: await shownPurchase(rail, purchase, purchase.balanceAfterMicro) };
    }
    case "bought_before": {
      return { status: 200, body: await shownPurchase(rail, outcome.purchase, await balanceOf(rail, walletId)) };
    }
  }
}

export function listEntitlementsHandler({ ledger }: Rail) {
  return async ({ caller }: Exchange<typeof listEntitlements, Caller>) => {
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
  return async ({ query }: Exchange<typeof checkEntitlement, Caller>) => {
    const wallet = await ledger.walletOf(query.wallet_hash, now());
    if (wallet === null || wallet.status === "closed") throw new Problem("wallet_not_found");
    const owned = await ledger.entitlement(wallet.id, query.sku, query.ref);
    return { entitled: owned !== null, wallet_id: wallet.id };
  };
}
