/**
 * Bulk reads of an audit on SQLite. Rows are read in write order, because entries and charges from the same time share
 * pages, and in chunks, because this thread also serves requests.
 */
import { setImmediate } from "node:timers/promises";
import { sql, type Kysely } from "@triptych/storage";
import type { Moved } from "../domain/ledger-pages.ts";
import { toMoved, type AuditReads, type MovedRow } from "./audit-reads.ts";
import { AGREES, CHAINED, type ChainLink } from "./hash-chain-pages.ts";
import type { RailTables } from "./tables.ts";

type Reads = Kysely<RailTables>;

export function auditReads(db: Reads): AuditReads {
  return { chained: { read: chainedFrom(db), rowsOf: JSON.parse }, moved: () => movedPages(db) };
}

function chainedFrom(db: Reads): ChainLink["read"] {
  return async (from, limit) => {
    const { rows } = await sql<{ text: string; rows: number; last: number | null }>`
      select json_group_array(json_array(${CHAINED}, ${AGREES})) as text, count(*) as rows, max(place) as last
        from (select rowid as place, * from entry where rowid >= ${from ?? 0} order by rowid limit ${limit}) as e
        left join charge as c on c.id = e.charge_id`.execute(db);
    const [page] = rows;
    if (page === undefined || page.last === null) return { text: null, next: null };
    return { text: page.text, next: page.rows < limit ? null : page.last + 1 };
  };
}

const ADDED_AT_ONCE = 20_000;

async function* movedPages(db: Reads): AsyncGenerator<readonly Moved[]> {
  for (let after = ""; ;) {
    const { rows } = await sql<MovedRow & { last: string }>`
      select debit, credit, sum(amount_micro) as micro, count(*) as count, min(amount_micro) as least, max(max(id)) over () as last
        from (select id, debit, credit, amount_micro from transfer where id > ${after} order by id limit ${ADDED_AT_ONCE}) as t
       group by debit, credit`.execute(db);
    yield rows.map(toMoved);
    if (rows.reduce((sum, { count }) => sum + count, 0) < ADDED_AT_ONCE) return;
    after = rows[0]?.last ?? after;
    await setImmediate();
  }
}
