/** Figures for who watches the rail. Each counts few rows by an index, but the sum of all accounts, which is why they are asked seldom. */
import { sql, type Database } from "@triptych/storage";
import type { Ledger } from "../domain/ledger.ts";
import type { RailTables } from "./tables.ts";

export function figureVerbs({ db }: Pick<Database<RailTables>, "db">): Pick<Ledger, "figures"> {
  return {
    async figures(now) {
      const posted = await db
        .selectFrom("charge")
        .select((of) => [of.fn.countAll<number>().as("count"), of.fn.min("created_at").as("oldest")])
        .where("state", "=", "posted")
        .executeTakeFirstOrThrow();
      const live = await db
        .selectFrom("instance")
        .select((of) => [of.fn.countAll<number>().as("count"), of.fn.min("lease_until").as("first")])
        .where("state", "=", "live")
        .executeTakeFirstOrThrow();
      const payments = await db
        .selectFrom("topup")
        .select((of) => of.fn.min("check_at").as("first"))
        .where("check_at", "is not", null)
        .executeTakeFirstOrThrow();
      const { rows } = await sql<{ sum: number | null }>`
        select cast(sum(total_micro) as bigint) as sum from account_total`.execute(db);
      return {
        unacknowledged: posted.count,
        oldestUnacknowledgedMs: since(now, posted.oldest),
        liveGateways: live.count,
        lapsedLeaseMs: since(now, live.first),
        overdueCheckMs: since(now, payments.first),
        sumMicro: rows[0]?.sum ?? 0,
      };
    },
  };
}

function since(now: number, at: number | null): number {
  return at === null ? 0 : Math.max(0, now - at);
}
