/** GET /v1/wallets/me/charges/{id}: one charge of the wallet that asks. Another one's does not exist for it. */
import type { getCharge } from "@triptych/contracts";
import { Problem, type Exchange } from "@triptych/server";
import type { Rail } from "../domain/rail.ts";
import { walletOf, type Caller } from "./caller.ts";
import { shownCharge } from "./response-mappers.ts";

export function getChargeHandler(rail: Rail) {
  return async ({ caller, params }: Exchange<typeof getCharge, Caller>) => {
    const charge = await rail.ledger.charge(params.id);
    if (charge === null || charge.walletId !== walletOf(caller).id) throw new Problem("charge_not_found");
    return shownCharge(rail, charge);
  };
}
