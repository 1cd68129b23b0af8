import type { getCharge, getReceipt } from "@triptych/contracts";
import { Problem, type RequestContext } from "@triptych/server";
import type { Rail } from "../domain/rail.ts";
import { walletOf, type Caller } from "./identify.ts";
import { toChargeResponse } from "./response-mappers.ts";
import type { LedgerCharge } from "../domain/unit-of-work.ts";
import type { PurchaseRecord } from "../domain/ledger.ts";

export function getChargeHandler(rail: Rail) {
  return async ({ caller, params }: RequestContext<typeof getCharge, Caller>) => {
    const charge = await rail.ledger.charge(params.id);
    if (charge === null || !isVisible(charge, caller)) throw new Problem("charge_not_found");
    return toChargeResponse(rail, charge);
  };
}

export function getReceiptHandler(rail: Pick<Rail, "ledger" | "keys">) {
  return async ({ caller, params, reply }: RequestContext<typeof getReceipt, Caller>) => {
    const billed = await billedUnder(rail, params.id);
    if (billed === null || !isVisible(billed, caller)) throw new Problem("receipt_not_found");
    return reply.type("application/jwt").send(await rail.keys.receiptOf(billed));
  };
}

/** A sub-token sees only what it paid for. */
function isVisible(billed: LedgerCharge | PurchaseRecord, caller: Caller): boolean {
  const { id, token } = walletOf(caller);
  if (billed.walletId !== id) return false;
  return token === null || ("tokenId" in billed && billed.tokenId === token.id);
}

function billedUnder({ ledger }: Pick<Rail, "ledger">, id: string): Promise<LedgerCharge | PurchaseRecord | null> {
  return id.startsWith("pur_") ? ledger.purchase(id) : ledger.charge(id);
}
