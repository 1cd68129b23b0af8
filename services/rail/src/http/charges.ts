import type { getCharge } from "@triptych/contracts";
import { Problem, type RequestContext } from "@triptych/server";
import type { Rail } from "../domain/rail.ts";
import { walletOf, type Caller } from "./caller.ts";
import { toChargeResponse } from "./response-mappers.ts";

export function getChargeHandler(rail: Rail) {
  return async ({ caller, params }: RequestContext<typeof getCharge, Caller>) => {
    const charge = await rail.ledger.charge(params.id);
    if (charge === null || charge.walletId !== walletOf(caller).id) throw new Problem("charge_not_found");
    return toChargeResponse(rail, charge);
  };
}
