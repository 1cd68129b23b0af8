/**
 * The tables of the PostgreSQL engine: one set per version, in a schema of its own, because they are derived and need
 * no backup. The row in `ready` is written last: sets without it, or of another format, are ignored.
 *
 * - doc: id in title order, rank by (type, slug), tags
 * - point: located items with kind and unit vector, also as a PostGIS point; neighbors are stored together
 * - body: the rendered item by rank, in two parts
 * - block: all lists and columns, cut into database pages
 * - section: vocabulary and list offsets, loaded into memory
 */
import { sql, type Kysely } from "@triptych/storage";
import type { DirectoryTables } from "../tables.ts";

/** Incremented with each change of the tables' content. */
const FORMAT = 3;

/** Thrown when a row is missing: it was deleted from outside. */
export const NOT_WHOLE = "index tables of a version are incomplete";

export type Db = Kysely<DirectoryTables>;
export type Fragment = ReturnType<typeof sql>;

export interface IndexVersion {
  readonly items: number;
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

/** Creates the schema if missing; throws an error for the operator without PostGIS. */
export async function prepareIndexSchema(db: Db, schema: string): Promise<void> {
  const { rows } = await sql<{ found: number }>`select 1 as found from pg_extension where extname = 'postgis'`.execute(
    db,
  );
  if (rows.length === 0) {
    throw new Error(
      "DIRECTORY_ENGINE=postgres requires PostGIS in this database: run `create extension postgis` as its owner, or use DIRECTORY_ENGINE=memory.",
    );
  }
  await sql`create schema if not exists ${sql.id(indexSchema(schema))}`.execute(db);
  await sql`create table if not exists ${readyTable(schema)} (number bigint primary key, format integer not null,
    content_hash text not null, items integer not null, meta text not null)`.execute(db);
}

/** Creates or replaces the empty tables of a version. Indexes are created after the rows. */
export async function createTables(db: Db, schema: string, version: number): Promise<IndexTables> {
  await dropTables(db, schema, version);
  const tables = indexTables(schema, version);
  await sql`create table ${tables.doc} (id integer not null, rank integer not null, type text collate "C" not null,
    slug text collate "C" not null, tags integer[] not null)`.execute(db);
  await sql`create table ${tables.point} (id integer not null, rank integer not null, kind smallint not null, x double precision not null,
    y double precision not null, z double precision not null, point public.geometry not null)`.execute(db);
  // Parts stay in the row while it fits a page, uncompressed, because most bytes of a page are read.
  await sql`create table ${tables.body} (rank integer not null, summary text collate "C" not null, rest text collate "C" not null)
    with (toast_tuple_target = 8160)`.execute(db);
  await sql`alter table ${tables.body} alter column summary set storage external, alter column rest set storage external`.execute(
    db,
  );
  await sql`create table ${tables.block} (number integer not null, text text collate "C" not null)`.execute(db);
  // Uncompressed and in the row: reading a block is one page read.
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
  // Includes the rank: an index-only scan leads from ids to bodies.
  await sql`alter table ${tables.doc} add primary key (id) include (rank)`.execute(db);
  await sql`create unique index on ${tables.doc} (type, slug)`.execute(db);
  await sql`alter table ${tables.point} add primary key (id)`.execute(db);
  await sql`create index on ${tables.point} using gist (point public.gist_geometry_ops_nd)`.execute(db);
  // Tables are final now. Freezing sets the visibility map, so that the first queries neither check row visibility nor
  // write hint bits.
  for (const table of [tables.doc, tables.point, tables.body, tables.block, tables.section])
    await sql`vacuum (freeze, analyze) ${table}`.execute(db);
}

export async function markReady(
  db: Db,
  schema: string,
  { version, contentHash, items, meta }: IndexVersion & { version: number; contentHash: string },
): Promise<void> {
  await sql`insert into ${readyTable(schema)} (number, format, content_hash, items, meta)
    values (${version}, ${FORMAT}, ${contentHash}, ${items}, ${meta})`.execute(db);
}

/** Null when the version's tables are missing, incomplete, or of other content or format. */
export async function readIndexVersion(
  db: Db,
  schema: string,
  { version, contentHash }: { version: number; contentHash: string },
): Promise<IndexVersion | null> {
  const { rows } = await sql<IndexVersion>`select items, meta from ${readyTable(schema)}
    where number = ${version} and format = ${FORMAT} and content_hash = ${contentHash}`.execute(db);
  return rows[0] ?? null;
}

export async function dropTables(db: Db, schema: string, version: number): Promise<void> {
  // The `ready` row first: tables without it are ignored, but it must never exist without tables.
  await sql`delete from ${readyTable(schema)} where number = ${version}`.execute(db);
  for (const { table, number } of await versionedTables(db, schema))
    if (number === version) await sql`drop table if exists ${sql.id(indexSchema(schema), table)}`.execute(db);
}

export async function versionsWithTables(db: Db, schema: string): Promise<number[]> {
  return [...new Set((await versionedTables(db, schema)).map(({ number }) => number))];
}

async function versionedTables(db: Db, schema: string): Promise<{ table: string; number: number }[]> {
  const { rows } = await sql<{ table: string; number: number }>`
    select tablename::text as table, cast(substring(tablename from '_([0-9]+)$') as bigint) as number
      from pg_tables where schemaname = ${indexSchema(schema)} and tablename ~ '_[0-9]+$'`.execute(db);
  return rows;
}
