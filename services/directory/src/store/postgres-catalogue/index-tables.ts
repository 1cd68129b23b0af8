/**
 * The tables of the PostgreSQL engine: one set per version, in a schema of its own, because they are derived and need
 * no backup. The row in `ready` is written last: tables without it, or of another format, are rebuilt.
 *
 * - entry: one row per item, with all filters, lexemes and the unit vector; its id is its place in title order
 * - word: the vocabulary, for unfinished words and corrections; read as a whole with the first text of a version
 * - suggestion: completions by rank; see `collectSuggestions`
 * - commune: the names of communes, with the number of items
 */
import { sql, type Kysely } from "@triptych/storage";
import type { DirectoryTables } from "../tables.ts";

/** Incremented with each change of the tables' content. */
const FORMAT = 9;

/** Thrown when a row is missing: it was deleted from outside. */
export const NOT_WHOLE = "index tables of a version are incomplete";

export type Db = Kysely<DirectoryTables>;
export type Fragment = ReturnType<typeof sql>;

export interface IndexVersion {
  readonly items: number;
  readonly meta: string;
}

export interface IndexTables {
  readonly entry: Fragment;
  readonly word: Fragment;
  readonly suggestion: Fragment;
  readonly commune: Fragment;
}

export function indexTables(schema: string, version: number): IndexTables {
  const table = (kind: keyof IndexTables) => sql`${sql.id(indexSchema(schema), `${kind}_${version}`)}`;
  return { entry: table("entry"), word: table("word"), suggestion: table("suggestion"), commune: table("commune") };
}

function indexSchema(schema: string): string {
  return `${schema}_index`;
}

function readyTable(schema: string): Fragment {
  return sql`${sql.id(indexSchema(schema), "ready")}`;
}

/** Creates the schema if missing; throws an error for the operator without the extensions. */
export async function prepareIndexSchema(db: Db, schema: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select extname::text as name from pg_extension where extname in ('postgis', 'pg_trgm')`.execute(db);
  const installed = rows.map(({ name }) => name);
  if (!installed.includes("postgis")) throw extensionMissing("PostGIS", "postgis");
  if (!installed.includes("pg_trgm")) {
    try {
      // Trusted since PostgreSQL 13: the owner of the database may create it.
      await sql`create extension if not exists pg_trgm with schema public`.execute(db);
    } catch (error) {
      throw extensionMissing("pg_trgm", "pg_trgm", error);
    }
  }
  await sql`create schema if not exists ${sql.id(indexSchema(schema))}`.execute(db);
  await sql`create table if not exists ${readyTable(schema)} (number bigint primary key, format integer not null,
    content_hash text not null, items integer not null, meta text not null)`.execute(db);
}

function extensionMissing(name: string, extension: string, cause?: unknown): Error {
  return new Error(
    `DIRECTORY_ENGINE=postgres requires ${name} in this database: run \`create extension ${extension} with schema public\` as its owner, or use DIRECTORY_ENGINE=memory.`,
    { cause },
  );
}

/** Creates or replaces the empty tables of a version. Indexes are created after the rows. */
export async function createTables(db: Db, schema: string, version: number): Promise<IndexTables> {
  await dropTables(db, schema, version);
  const tables = indexTables(schema, version);
  await sql`create table ${tables.entry} (id integer not null, type text collate "C" not null, slug text collate "C" not null,
    departement text collate "C", region text collate "C", tags text[] collate "C" not null, updated bigint not null,
    changed bigint not null,
    commune text collate "C", insee text collate "C", postal_code text collate "C", sources text[] collate "C" not null,
    lexemes tsvector not null, x double precision, y double precision, z double precision, point public.geometry,
    lat double precision, lon double precision)`.execute(db);
  await sql`create table ${tables.word} (surface text collate "C" not null, term text collate "C" not null,
    documents integer not null, term_documents integer not null, structured integer not null)`.execute(db);
  await sql`create table ${tables.suggestion} (number integer not null, text text collate "C" not null,
    kind smallint not null, count integer not null, item integer, label text, slug text, per_type integer[])`.execute(
    db,
  );
  await sql`create table ${tables.commune} (slug text collate "C" not null, label text not null, codes text[] not null,
    items integer not null)`.execute(db);
  return tables;
}

export async function createIndexes(db: Db, { entry, word, suggestion, commune }: IndexTables): Promise<void> {
  await sql`alter table ${entry} add primary key (id)`.execute(db);
  await sql`create unique index on ${entry} (type, slug)`.execute(db);
  await sql`create index on ${entry} (type, id)`.execute(db);
  await sql`create index on ${entry} (departement, type, id)`.execute(db);
  await sql`create index on ${entry} (region, type, id)`.execute(db);
  await sql`create index on ${entry} (region, id)`.execute(db);
  await sql`create index on ${entry} (updated, id)`.execute(db);
  await sql`create index on ${entry} (changed, id)`.execute(db);
  await sql`create index on ${entry} using gin (tags)`.execute(db);
  await sql`create index on ${entry} using gin (lexemes)`.execute(db);
  await sql`create index on ${entry} using gist (point public.gist_geometry_ops_nd)`.execute(db);
  await sql`create index on ${entry} (commune, id)`.execute(db);
  await sql`create index on ${entry} (insee, id)`.execute(db);
  await sql`create index on ${entry} (postal_code, id)`.execute(db);
  await sql`create index on ${entry} using gin (sources)`.execute(db);
  await sql`create index on ${entry} using gist (public.st_makepoint(lon, lat))`.execute(db);
  await sql`alter table ${commune} add primary key (slug)`.execute(db);
  await sql`alter table ${word} add primary key (surface)`.execute(db);
  await sql`alter table ${suggestion} add primary key (number)`.execute(db);
  await sql`create index on ${suggestion} (text, number)`.execute(db);
  await sql`create index on ${suggestion} (replace(text, ' ', ''))`.execute(db);
  await sql`create index on ${suggestion} using gin ((' ' || text) public.gin_trgm_ops)`.execute(db);
  await sql`create index on ${suggestion} using gin (text public.gin_trgm_ops)`.execute(db);
  // Tables are final now. Freezing sets the visibility map, which index-only scans need.
  for (const table of [entry, word, suggestion, commune]) await sql`vacuum (freeze, analyze) ${table}`.execute(db);
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

/** Finds tables of any format, so that those of older programs are dropped too. */
async function versionedTables(db: Db, schema: string): Promise<{ table: string; number: number }[]> {
  const { rows } = await sql<{ table: string; number: number }>`
    select tablename::text as table, cast(substring(tablename from '_([0-9]+)$') as bigint) as number
      from pg_tables where schemaname = ${indexSchema(schema)} and tablename ~ '_[0-9]+$'`.execute(db);
  return rows;
}
