/**
 * Figures for monitoring. Each one counts few rows with an index, except for the sum of all accounts, so they are read
 * rarely.
 */
import { sql, type Database } from "@triptych/storage";
import type { Boot } from "../domain/unit-of-work.ts";
import type { Ledger } from "../domain/ledger.ts";
import { liveBoots, postedBy } from "./load.ts";
import type { RailTables } from "./tables.ts";

export function figureVerbs({ db }: Pick<Database<RailTables>, "db">): Pick<Ledger, "figures"> {
  return {
    async figures(now) {
      const boots = await liveBoots(db);
      const posted: { readonly count: number; readonly oldest: number | null }[] = [];
      for (const boot of boots) posted.push(await unacknowledgedOf(db, boot));
      const payments = await db
        .selectFrom("topup")
        .select((of) => of.fn.min("check_at").as("first"))
        .where("check_at", "is not", null)
        .executeTakeFirstOrThrow();
      const { rows } = await sql<{ sum: number | null }>`
        select cast(sum(total_micro) as bigint) as sum from account_total`.execute(db);
      return {
        unacknowledged: posted.reduce((sum, { count }) => sum + count, 0),
        oldestUnacknowledgedMs: longest(posted.map(({ oldest }) => since(now, oldest))),
        liveGateways: boots.length,
        lapsedLeaseMs: longest(boots.map(({ leaseUntil }) => since(now, leaseUntil))),
        overdueCheckMs: since(now, payments.first),
        sumMicro: rows[0]?.sum ?? 0,
      };
    },
  };
}

function unacknowledgedOf(db: Database<RailTables>["db"], boot: Boot) {
  return postedBy(db, boot)
    .select((of) => [of.fn.countAll<number>().as("count"), of.fn.min("created_at").as("oldest")])
    .executeTakeFirstOrThrow();
}

function longest(times: readonly number[]): number {
  return times.reduce((most, time) => Math.max(most, time), 0);
}

function since(now: number, at: number | null): number {
  return at === null ? 0 : Math.max(0, now - at);
}
