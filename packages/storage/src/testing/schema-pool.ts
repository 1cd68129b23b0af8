/**
 * Reuses PostgreSQL schemas between tests: emptying the tables of a service takes a few milliseconds, creating them
 * takes a hundred. Only a schema identical to its migrated state is reused. If its definitions changed or it is locked,
 * the next test creates a new one.
 */
import { sql } from "kysely";
import type { Database } from "../database.ts";

export interface EmptiedSchemas {
  take(): string | undefined;
  /** Records the migrated state; call it before any test uses the store. */
  remember<Schema>(schema: string, database: Database<Schema>): Promise<void>;
  /** Empties the schema and pools it if its original state is restored. The caller then closes the store. */
  giveBack<Schema>(schema: string, database: Database<Schema>): Promise<void>;
}

interface AsMigrated {
  readonly shape: string;
  /** Rows inserted by migrations, as JSON, by table. */
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
        // The schema is closed, deliberately broken, or locked: it cannot be reused, but the test has not failed.
      }
    },
  };
}

/**
 * Disables triggers and foreign keys. Resets identities with `setval`, because restarting them would count as a
 * changed definition.
 */
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

/** Fingerprint of the definitions: the last transactions that wrote catalog entries of this schema. */
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
