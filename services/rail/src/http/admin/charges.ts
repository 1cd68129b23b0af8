/** One charge, and the operator's refund of it. */
import type { adminGetCharge, adminRefundCharge } from "@triptych/contracts";
import { Problem, type Exchange } from "@triptych/server";
import type { Rail } from "../../domain/rail.ts";
import type { Caller } from "../caller.ts";
import { shownCharge } from "../response-mappers.ts";

export function adminGetChargeHandler(rail: Rail) {
  return async ({ params }: Exchange<typeof adminGetCharge, Caller>) => {
    const charge = await rail.ledger.charge(params.id);
    if (charge === null) throw new Problem("charge_not_found");
    return shownCharge(rail, charge);
  };
}

export function adminRefundChargeHandler(rail: Rail) {
  return async ({ params, body }: Exchange<typeof adminRefundCharge, Caller>) => {
    const outcome = await rail.ledger.refundCharge(params.id, { ...body, context: rail.context() });
    if (outcome === null) throw new Problem("charge_not_found");
    if (outcome !== "state") return shownCharge(rail, outcome);
    const charge = await rail.ledger.charge(params.id);
    throw new Problem("charge_state", { members: { charge_id: params.id, state: charge?.state ?? null } });
  };
}
