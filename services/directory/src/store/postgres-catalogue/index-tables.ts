/**
 * The tables of engine (b): a set for each version, in a schema of their own beside the service's (they are made from its rows and
 * are not worth copying or backing up). The row in `ready` is written last: without it the tables do not count, and a set of another
 * format does not count either.
 *
 * doc      an item's number in title order, its rank by (type, slug), and its tags
 * point    of a located item: its rank, its kind, its unit vector, and the same as a point of PostGIS; neighbours stand side by side
 * body     by rank: the item as clients get it, in two pieces
 * block    all lists and columns, one behind the other, cut into pieces that fill a page of the database each
 * section  what a catalogue holds in memory: the vocabulary, and where in the blocks each list begins
 */
import { sql, type Kysely } from "@triptych/storage";
import type { DirectoryTables } from "../tables.ts";

/** Rises with each change of what stands in the tables. */
const FORMAT = 3;

/** Thrown by readers who miss a row: somebody removed it, or its table, behind the engine's back. */
export const NOT_WHOLE = "the tables of a version are no longer whole";

export type Db = Kysely<DirectoryTables>;
/** A piece of SQL with its parameters. */
export type Fragment = ReturnType<typeof sql>;

/** What is written last, and read first. */
export interface IndexEdition {
  readonly items: number;
  /** JSON of CatalogueMeta. */
  readonly meta: string;
}

export interface IndexTables {
  readonly doc: Fragment;
  readonly point: Fragment;
  readonly body: Fragment;
  readonly block: Fragment;
  readonly section: Fragment;
}

export function indexTables(schema: string, version: number): IndexTables {
  const table = (kind: keyof IndexTables) => sql`${sql.id(indexSchema(schema), `${kind}_${version}`)}`;
  return {
    doc: table("doc"),
    point: table("point"),
    body: table("body"),
    block: table("block"),
    section: table("section"),
  };
}

function indexSchema(schema: string): string {
  return `${schema}_index`;
}

function readyTable(schema: string): Fragment {
  return sql`${sql.id(indexSchema(schema), "ready")}`;
}

/** Makes the schema, once; throws a sentence for the operator when PostGIS is missing. */
export async function prepareIndexSchema(db: Db, schema: string): Promise<void> {
  const { rows } = await sql<{ found: number }>`select 1 as found from pg_extension where extname = 'postgis'`.execute(
    db,
  );
  if (rows.length === 0) {
    throw new Error(
      "DIRECTORY_ENGINE=postgres needs PostGIS in this database: run `create extension postgis` there as its owner, or use DIRECTORY_ENGINE=memory.",
    );
  }
  await sql`create schema if not exists ${sql.id(indexSchema(schema))}`.execute(db);
  await sql`create table if not exists ${readyTable(schema)} (number bigint primary key, format integer not null,
    content_hash text not null, items integer not null, meta text not null)`.execute(db);
}

/** Empty tables of a version, in place of any that were there. Indexes come when the rows are in. */
export async function createTables(db: Db, schema: string, version: number): Promise<IndexTables> {
  await dropTables(db, schema, version);
  const tables = indexTables(schema, version);
  await sql`create table ${tables.doc} (id integer not null, rank integer not null, type text collate "C" not null,
    slug text collate "C" not null, tags integer[] not null)`.execute(db);
  await sql`create table ${tables.point} (id integer not null, rank integer not null, kind smallint not null, x double precision not null,
    y double precision not null, z double precision not null, point public.geometry not null)`.execute(db);
  // Pieces stay in the row while it fits a page, and are never compressed: most of a page of items is read as it stands.
  await sql`create table ${tables.body} (rank integer not null, summary text collate "C" not null, rest text collate "C" not null)
    with (toast_tuple_target = 8160)`.execute(db);
  await sql`alter table ${tables.body} alter column summary set storage external, alter column rest set storage external`.execute(
    db,
  );
  await sql`create table ${tables.block} (number integer not null, text text collate "C" not null)`.execute(db);
  // In the row and as it is: a block is a page, and reading one is one step.
  await sql`alter table ${tables.block} alter column text set storage plain`.execute(db);
  await sql`create table ${tables.section} (name text not null, part integer not null, bytes bytea not null)`.execute(
    db,
  );
  return tables;
}

export async function indexTablesOf(db: Db, tables: IndexTables): Promise<void> {
  await sql`alter table ${tables.body} add primary key (rank)`.execute(db);
  await sql`alter table ${tables.block} add primary key (number)`.execute(db);
  await sql`alter table ${tables.section} add primary key (name, part)`.execute(db);
  // With the rank in it, the key alone leads from a page of ids to their bodies.
  await sql`alter table ${tables.doc} add primary key (id) include (rank)`.execute(db);
  await sql`create unique index on ${tables.doc} (type, slug)`.execute(db);
  await sql`alter table ${tables.point} add primary key (id)`.execute(db);
  await sql`create index on ${tables.point} using gist (point public.gist_geometry_ops_nd)`.execute(db);
  // Nothing will change any more. Told so now, the server need not visit a row to learn whether it may be seen, nor note down what
  // it learned while somebody waits.
  for (const table of [tables.doc, tables.point, tables.body, tables.block, tables.section])
    await sql`vacuum (freeze, analyze) ${table}`.execute(db);
}

export async function markReady(
  db: Db,
  schema: string,
  { version, contentHash, items, meta }: IndexEdition & { version: number; contentHash: string },
): Promise<void> {
  await sql`insert into ${readyTable(schema)} (number, format, content_hash, items, meta)
    values (${version}, ${FORMAT}, ${contentHash}, ${items}, ${meta})`.execute(db);
}

/** Null when the tables of the version are missing, not complete, or of another content or format. */
export async function readIndexEdition(
  db: Db,
  schema: string,
  { version, contentHash }: { version: number; contentHash: string },
): Promise<IndexEdition | null> {
  const { rows } = await sql<IndexEdition>`select items, meta from ${readyTable(schema)}
    where number = ${version} and format = ${FORMAT} and content_hash = ${contentHash}`.execute(db);
  return rows[0] ?? null;
}

/** Whatever their format. */
export async function dropTables(db: Db, schema: string, version: number): Promise<void> {
  // The mark goes first: tables without it are rubbish, a mark without tables would be a lie.
  await sql`delete from ${readyTable(schema)} where number = ${version}`.execute(db);
  for (const { table, number } of await versionedTables(db, schema))
    if (number === version) await sql`drop table if exists ${sql.id(indexSchema(schema), table)}`.execute(db);
}

/** Versions that have tables, complete or not. */
export async function versionsWithTables(db: Db, schema: string): Promise<number[]> {
  return [...new Set((await versionedTables(db, schema)).map(({ number }) => number))];
}

async function versionedTables(db: Db, schema: string): Promise<{ table: string; number: number }[]> {
  const { rows } = await sql<{ table: string; number: number }>`
    select tablename::text as table, cast(substring(tablename from '_([0-9]+)$') as bigint) as number
      from pg_tables where schemaname = ${indexSchema(schema)} and tablename ~ '_[0-9]+$'`.execute(db);
  return rows;
}
