import type { adminListTopups, adminRefundTopup, adminSettleTopup } from "@triptych/contracts";
import { Problem, type RequestContext, type ValidationErrors } from "@triptych/server";
import type { Rail } from "../../domain/rail.ts";
import type { LedgerTopup } from "../../domain/topup-state.ts";
import type { Caller } from "../identify.ts";
import { PAGE_DEFAULT, pageOf, readCursor } from "../cursors.ts";
import { toTopupResponse } from "../response-mappers.ts";
import { balanceOf, refuseUnavailable, TOPUP_CURSOR } from "../topups.ts";

export function adminListTopupsHandler(rail: Rail) {
  return {
    async handle({ query }: RequestContext<typeof adminListTopups, Caller>, errors: ValidationErrors) {
      const { limit = PAGE_DEFAULT, status: states = [], wallet_id: walletId = null } = query;
      const before = readCursor(query.cursor, TOPUP_CURSOR, errors);
      errors.refuse();
      const topups = await rail.ledger.topups({ walletId, states, before, limit: limit + 1 });
      const { items, next_cursor } = pageOf(topups, limit, (last) => last.id);
      return { items: await Promise.all(items.map((topup) => toResponse(rail, topup))), next_cursor };
    },
  };
}

export function adminSettleTopupHandler(rail: Rail) {
  return async ({ params, body }: RequestContext<typeof adminSettleTopup, Caller>) => {
    const by = { context: rail.context(), operated: body };
    const outcome = await rail.ledger.applyTopupEvent(params.id, { kind: "paid" }, by);
    if (outcome === null) throw new Problem("topup_not_found");
    if (!outcome.changed) throw wrongState(outcome.topup);
    return toResponse(rail, outcome.topup);
  };
}

export function adminRefundTopupHandler(rail: Rail) {
  return async ({ params, body }: RequestContext<typeof adminRefundTopup, Caller>) => {
    const topup = await rail.ledger.topup(params.id);
    if (topup === null) throw new Problem("topup_not_found");
    const outcome = await rail.topUps.refund(topup, body).catch((error: unknown) => refuseUnavailable(error));
    if (outcome === "state") throw wrongState((await rail.ledger.topup(params.id)) ?? topup);
    return toResponse(rail, outcome);
  };
}

function wrongState({ id, state }: LedgerTopup): Problem {
  return new Problem("topup_state", { members: { topup_id: id, topup_status: state } });
}

async function toResponse(rail: Rail, topup: LedgerTopup) {
  return toTopupResponse(topup, await balanceOf(rail, topup.walletId));
}
