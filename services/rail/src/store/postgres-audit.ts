/**
 * Bulk reads of an audit on PostgreSQL, block by block in storage order. Any other order would need a random block per
 * row through an index, or a sort of the whole table.
 */
import { sql, type Kysely } from "@triptych/storage";
import type { Moved } from "../domain/ledger-pages.ts";
import { toMoved, type AuditReads, type MovedRow } from "./audit-reads.ts";
import { AGREES, CHAINED, type ChainLink, type ChainedRow } from "./hash-chain-pages.ts";
import { recordsOf } from "./record-codec.ts";
import type { RailTables } from "./tables.ts";

type Reads = Kysely<RailTables>;

/** `tx` is the audit's own transaction: its planner settings are tuned for chunks. */
export async function auditReads(tx: Reads): Promise<AuditReads> {
  // A chunk looks up its charges one by one. Scanning the table for each chunk would take quadratic time.
  for (const way of ["hashjoin", "mergejoin", "seqscan", "sort"])
    await sql`select set_config(${`enable_${way}`}, 'off', true)`.execute(tx);
  // Starting a parallel worker takes longer than reading a chunk.
  await sql`select set_config('max_parallel_workers_per_gather', '0', true)`.execute(tx);
  const { rows } = await sql<{ entries: number; transfers: number }>`
    select pg_relation_size('entry') / current_setting('block_size')::bigint as entries,
           pg_relation_size('transfer') / current_setting('block_size')::bigint as transfers`.execute(tx);
  const [blocks] = rows;
  if (blocks === undefined) throw new Error("the database returned no table sizes");
  // The snapshot does not include later writes, so blocks added later can be skipped.
  return { chained: { read: chainedIn(tx, blocks.entries), rowsOf }, moved: () => movedIn(tx, blocks.transfers) };
}

/** Approximate entries per block. */
const ENTRIES_OF_BLOCK = 25;

function rowsOf(text: string): readonly ChainedRow[] {
  return recordsOf(text) as unknown as readonly ChainedRow[];
}

function chainedIn(tx: Reads, blocks: number): ChainLink["read"] {
  return async (from, limit) => {
    const first = from ?? 0;
    const end = first + Math.max(1, Math.floor(limit / ENTRIES_OF_BLOCK));
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(one::text, ${"\n"}) as text
        from (select ${CHAINED}, (${AGREES})::int as agrees
                from entry as e
                left join charge as c on c.id = e.charge_id
               where e.ctid >= ${ctidOf(first)}::tid and e.ctid < ${ctidOf(end)}::tid) as one`.execute(tx);
    return { text: rows[0]?.text ?? null, next: end < blocks ? end : null };
  };
}

const BLOCKS_ADDED_AT_ONCE = 1_024;

async function* movedIn(tx: Reads, blocks: number): AsyncGenerator<readonly Moved[]> {
  for (let first = 0; first < blocks; first += BLOCKS_ADDED_AT_ONCE) {
    const { rows } = await sql<MovedRow>`
      select debit, credit, cast(sum(amount_micro) as bigint) as micro, count(*) as count, min(amount_micro) as least
        from transfer
       where ctid >= ${ctidOf(first)}::tid and ctid < ${ctidOf(first + BLOCKS_ADDED_AT_ONCE)}::tid
       group by debit, credit`.execute(tx);
    yield rows.map(toMoved);
  }
}

/** Before the first row of a block. */
function ctidOf(block: number): string {
  return `(${block},0)`;
}
