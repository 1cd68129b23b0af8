import { sql, type Database } from "@triptych/storage";
import type { Ledger } from "../domain/ledger.ts";
import { chunks } from "./pages.ts";
import { toEntry } from "./rows.ts";
import type { EntryRow, RailTables } from "./tables.ts";

/** Each entry takes two statement parameters. */
const ENTRIES_AT_ONCE = 250;

export function headVerbs({ db }: Database<RailTables>): Pick<Ledger, "headsAfter" | "entriesAt"> {
  return {
    async headsAfter(after, limit) {
      const rows = await db
        .selectFrom("wallet")
        .select(["id", "seq", "head"])
        .where("id", ">", after)
        .where("seq", ">", 0)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(({ id, seq, head }) => ({ walletId: id, seq, hash: head }));
    },
    async entriesAt(heads) {
      const found: EntryRow[] = [];
      for (const chunk of chunks(heads, ENTRIES_AT_ONCE)) {
        const places = chunk.map(({ walletId, seq }) => sql`(cast(${walletId} as text), cast(${seq} as bigint))`);
        const { rows } = await sql<EntryRow>`
          with place (wallet_id, seq) as (values ${sql.join(places)})
          select e.* from place as p join entry as e on e.wallet_id = p.wallet_id and e.seq = p.seq`.execute(db);
        found.push(...rows);
      }
      return found.map(toEntry);
    },
  };
}
