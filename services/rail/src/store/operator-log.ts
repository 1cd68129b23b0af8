import type { Database, Kysely } from "@triptych/storage";
import type { Acting, OperatorLog, StoredActionName } from "../domain/operator-log.ts";
import type { RailTables } from "./tables.ts";

export function operatorLogVerbs({ db }: Database<RailTables>): OperatorLog {
  return {
    async operatorActions({ actions, walletId, operator, before, limit }) {
      const rows = await db
        .selectFrom("operator_log")
        .selectAll()
        .$if(actions.length > 0, (query) => query.where("act", "in", actions))
        .$if(walletId !== null, (query) => query.where("wallet_id", "=", walletId))
        .$if(operator !== null, (query) => query.where("operator", "=", operator ?? ""))
        .$if(before !== null, (query) =>
          query.where((where) =>
            where(where.refTuple("at", "id"), "<", where.tuple(before?.at ?? 0, before?.id ?? "")),
          ),
        )
        .orderBy("at", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ act, wallet_id, amount_micro, ...row }) => ({
        ...row,
        action: act,
        walletId: wallet_id,
        amountMicro: amount_micro,
      }));
    },
  };
}

interface NewAction {
  readonly action: StoredActionName;
  readonly walletId?: string;
  readonly subject?: string;
  readonly by: Acting;
}

/** Runs in the transaction of the action's effect. */
export async function recordAction(
  db: Kysely<RailTables>,
  { action, walletId, subject, by: { id, operator, reason, at } }: NewAction,
): Promise<void> {
  const row = { id, act: action, wallet_id: walletId ?? null, subject: subject ?? null, operator, reason, at };
  await db.insertInto("operator_act").values(row).execute();
}
