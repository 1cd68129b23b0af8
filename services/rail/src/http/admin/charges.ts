import type { adminGetCharge, adminRefundCharge } from "@triptych/contracts";
import { Problem, type RequestContext } from "@triptych/server";
import type { Rail } from "../../domain/rail.ts";
import type { Caller } from "../identify.ts";
import { toChargeResponse } from "../response-mappers.ts";

export function adminGetChargeHandler(rail: Rail) {
  return async ({ params }: RequestContext<typeof adminGetCharge, Caller>) => {
    const charge = await rail.ledger.charge(params.id);
    if (charge === null) throw new Problem("charge_not_found");
    return toChargeResponse(rail, charge);
  };
}

export function adminRefundChargeHandler(rail: Rail) {
  return async ({ params, body }: RequestContext<typeof adminRefundCharge, Caller>) => {
    const outcome = await rail.ledger.refundCharge(params.id, { ...body, context: rail.context() });
    if (outcome === null) throw new Problem("charge_not_found");
    if (outcome !== "state") return toChargeResponse(rail, outcome);
    const charge = await rail.ledger.charge(params.id);
    throw new Problem("charge_state", { members: { charge_id: params.id, state: charge?.state ?? null } });
  };
}
