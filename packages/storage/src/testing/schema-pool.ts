/**
 * Schemas of PostgreSQL that tests have done with and others take over: emptying the tables of a service takes a few milliseconds,
 * making them a hundred. Only a schema that is again as its migrations had left it is handed on. One whose tables, columns, functions
 * or triggers were touched, or that somebody still holds locks in, stays behind: whoever comes next makes another.
 */
import { sql } from "kysely";
import type { Database } from "../database.ts";

export interface EmptiedSchemas {
  /** An emptied schema, if there is one. */
  take(): string | undefined;
  /** To be called before any test has seen the store: remembers what the migrations have left. */
  remember<Schema>(schema: string, database: Database<Schema>): Promise<void>;
  /** Empties it, and keeps it for the next one if that leaves it as it was. The caller then closes the store. */
  giveBack<Schema>(schema: string, database: Database<Schema>): Promise<void>;
}

interface AsMigrated {
  readonly shape: string;
  /** Rows that migrations bring, as JSON, by table. */
  readonly rows: Readonly<Record<string, string>>;
}

export function createEmptiedSchemas(): EmptiedSchemas {
  const asMigrated = new Map<string, AsMigrated>();
  const emptied: string[] = [];

  return {
    take: () => emptied.pop(),
    async remember(schema, database) {
      if (asMigrated.has(schema)) return;
      asMigrated.set(schema, { shape: await shapeOf(database), rows: await rowsOf(database) });
    },
    async giveBack(schema, database) {
      const first = asMigrated.get(schema);
      if (first === undefined) return;
      try {
        await database.transaction(async (tx) => {
          await sql.raw(EMPTY).execute(tx);
          for (const [table, rows] of Object.entries(first.rows)) {
            const name = sql.table(table);
            await sql`insert into ${name} select * from json_populate_recordset(null::${name}, ${rows}::json)`.execute(
              tx,
            );
          }
        });
        if ((await shapeOf(database)) === first.shape) emptied.push(schema);
      } catch {
        // Closed, broken on purpose, or full of locks: not one to go on with, and no fault of the test.
      }
    },
  };
}

/** Triggers and foreign keys sleep meanwhile. Identities begin again by `setval`: restarting them would count as a change of shape. */
const EMPTY = `do $$
declare
  one record;
begin
  set local session_replication_role = replica;
  set local lock_timeout = '100ms';
  for one in select oid::regclass as name, relkind from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'S') and relname <> 'triptych_migration'
  loop
    if one.relkind = 'r' then execute format('delete from %s', one.name);
    else perform setval(one.name, 1, false);
    end if;
  end loop;
end $$`;

/** The transactions that have last written what the catalogue says of this schema: every change of a definition is a new one. */
async function shapeOf<Schema>({ db }: Database<Schema>): Promise<string> {
  const { rows } = await sql<{ readonly shape: string }>`
    with relation as (select oid, xmin from pg_class where relnamespace = current_schema()::regnamespace)
    select string_agg(part, ' ' order by part) as shape from (
      select concat('r', oid, '.', xmin) from relation
      union all select concat('a', attrelid, '.', attnum, '.', a.xmin) from pg_attribute a join relation on relation.oid = attrelid
      union all select concat('t', t.oid, '.', t.xmin) from pg_trigger t join relation on relation.oid = tgrelid
      union all select concat('p', oid, '.', xmin) from pg_proc where pronamespace = current_schema()::regnamespace
    ) as parts (part)`.execute(db);
  return rows[0]?.shape ?? "";
}

async function rowsOf<Schema>({ db }: Database<Schema>): Promise<AsMigrated["rows"]> {
  const { rows: tables } = await sql<{ readonly name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'triptych_migration'`.execute(
    db,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ readonly all: string | null }>`
      select json_agg(one)::text as all from ${sql.table(name)} one`.execute(db);
    const all = rows[0]?.all;
    if (typeof all === "string") found[name] = all;
  }
  return found;
}
