/** The operator log, and the operator of the current request. */
import type { adminListActions } from "@triptych/contracts";
import type { RequestContext, ValidationErrors } from "@triptych/server";
import type { Operated } from "../../domain/movements.ts";
import type { Acting, ActionPosition } from "../../domain/operator-log.ts";
import type { Rail } from "../../domain/rail.ts";
import { PAGE_DEFAULT, pageOf, readCursor } from "../cursors.ts";
import type { Caller } from "../identify.ts";
import { isoTime } from "../response-mappers.ts";

export function actingBy({ newId, now }: Pick<Rail, "newId" | "now">, { operator, reason }: Operated): Acting {
  return { id: newId("act_"), operator, reason, at: now() };
}

const CURSOR = /^\d{1,15} [!-~]{1,64}$/;

export function adminListActionsHandler({ ledger }: Rail) {
  return {
    async handle({ query }: RequestContext<typeof adminListActions, Caller>, errors: ValidationErrors) {
      const { action: actions = [], wallet_id: walletId = null, operator = null, limit = PAGE_DEFAULT } = query;
      const before = positionOf(readCursor(query.cursor, CURSOR, errors));
      errors.refuse();
      const found = await ledger.operatorActions({ actions, walletId, operator, before, limit: limit + 1 });
      const { items, next_cursor } = pageOf(found, limit, ({ at, id }) => `${at} ${id}`);
      return {
        items: items.map(({ id, walletId: wallet_id, amountMicro: amount_micro, at, ...rest }) => ({
          action_id: id,
          wallet_id,
          amount_micro,
          at: isoTime(at),
          ...rest,
        })),
        next_cursor,
      };
    },
  };
}

function positionOf(cursor: string | null): ActionPosition | null {
  const [at, id] = cursor?.split(" ") ?? [];
  return at === undefined || id === undefined ? null : { at: Number(at), id };
}
