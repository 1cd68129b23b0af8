/**
 * The hot path in SQLite's words: batches of charges are one procedure beside the data (apply-batches.ts), so they are one message to
 * the writer's thread and one back, however many rows they look at.
 */
import { sql, type Kysely, type ProcedureName, type Procedures } from "@triptych/storage";
import type { BatchOutcome, GatewayBatch } from "../domain/charge-batch.ts";
import type { Context } from "../domain/post.ts";
import type { Applied, BatchesToApply } from "./apply-batches.ts";
import { CHAINED_COLUMNS, type ReadChained } from "./chained-pages.ts";
import { repeatedly } from "./commit.ts";
import { idStock } from "./id-stock.ts";
import type { RailTables } from "./tables.ts";

const APPLY_BATCHES: ProcedureName = { module: new URL("./apply-batches.ts", import.meta.url), name: "applyBatches" };

export async function applyBatches(
  procedures: Procedures,
  batches: readonly GatewayBatch[],
  context: Context,
): Promise<readonly BatchOutcome[]> {
  const stock = idStock(context);
  const { now, issuer, kid, revenue } = context;
  const charges = batches.reduce((sum, batch) => sum + batch.charges.length, 0);
  const voids = batches.reduce((sum, batch) => sum + batch.voids.length, 0);
  // Rarely too few: a boot whose lease has ended loses any number of charges, and a promo may end with a charge, each by an entry.
  for (let entries = charges + voids; ;) {
    const ids = { ent_: stock.show("ent_", entries), chg_: stock.show("chg_", charges) };
    const asked: BatchesToApply = { batches, context: { now, issuer, kid, revenue }, ids };
    const applied = await repeatedly(() => procedures.call<Applied>(APPLY_BATCHES, asked));
    if ("outcomes" in applied) return applied.outcomes;
    entries = applied.entriesNeeded;
  }
}

/** In the order in which they were written: entries and charges that are neighbours in time share pages. */
export function readChained(db: Kysely<RailTables>): ReadChained {
  return async (after, limit) => {
    const { rows } = await sql<{ text: string; rows: number; last: number | null }>`
      select json_group_array(json_array(${CHAINED_COLUMNS})) as text, count(*) as rows, max(place) as last
        from (select rowid as place, * from entry where rowid > ${after ?? 0} order by rowid limit ${limit}) as e
        left join charge as c on c.id = e.charge_id`.execute(db);
    return rows[0] ?? { text: null, rows: 0, last: null };
  };
}
