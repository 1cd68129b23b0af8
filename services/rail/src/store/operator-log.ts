import type { Database, Kysely } from "@triptych/storage";
import type { Acting, OperatorLog, StoredActName } from "../domain/operator-acts.ts";
import type { RailTables } from "./tables.ts";

export function operatorLogVerbs({ db }: Database<RailTables>): OperatorLog {
  return {
    async operatorActs({ acts, walletId, operator, before, limit }) {
      const rows = await db
        .selectFrom("operator_log")
        .selectAll()
        .$if(acts.length > 0, (query) => query.where("act", "in", acts))
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
      return rows.map(({ wallet_id, amount_micro, ...row }) => ({
        ...row,
        walletId: wallet_id,
        amountMicro: amount_micro,
      }));
    },
  };
}

interface NewAct {
  readonly act: StoredActName;
  readonly walletId?: string;
  readonly subject?: string;
  readonly by: Acting;
}

/** In the transaction of its effect. */
export async function recordAct(
  db: Kysely<RailTables>,
  { act, walletId, subject, by: { id, operator, reason, at } }: NewAct,
): Promise<void> {
  const row = { id, act, wallet_id: walletId ?? null, subject: subject ?? null, operator, reason, at };
  await db.insertInto("operator_act").values(row).execute();
}
