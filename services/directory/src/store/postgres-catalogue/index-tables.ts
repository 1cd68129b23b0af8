/**
 * The tables of engine (b): a set for each version, in a schema of their own beside the service's (they are made from its rows and
 * are not worth copying or backing up). The row in `edition` is written last: without it the tables do not count.
 *
 * doc      an item's number in title order, what it is filtered and sorted by, its unit vector, and the same as a point of PostGIS
 * word     a term's number and how many items have it
 * posting  its items and impacts, packed as number * 256 + impact, in parts
 * surface  the vocabulary: words as written, in byte order
 * tag      a tag's number in byte order, how many items have it, and which
 */
import { sql, type Kysely } from "@triptych/storage";
import type { DirectoryTables } from "../tables.ts";

export type Db = Kysely<DirectoryTables>;
/** A piece of SQL with its parameters. */
export type Fragment = ReturnType<typeof sql>;

/** What is written last, and read first. */
export interface IndexEdition {
  readonly items: number;
  /** JSON of CatalogueMeta. */
  readonly meta: string;
  /** Every character of the vocabulary. */
  readonly alphabet: string;
}

export interface IndexTables {
  readonly doc: Fragment;
  readonly word: Fragment;
  readonly posting: Fragment;
  readonly surface: Fragment;
  readonly tag: Fragment;
}

const KINDS = ["doc", "word", "posting", "surface", "tag"] as const;

export function indexTables(schema: string, version: number): IndexTables {
  const table = (kind: (typeof KINDS)[number]) => sql`${sql.id(indexSchema(schema), `${kind}_${version}`)}`;
  return {
    doc: table("doc"),
    word: table("word"),
    posting: table("posting"),
    surface: table("surface"),
    tag: table("tag"),
  };
}

function indexSchema(schema: string): string {
  return `${schema}_index`;
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
  await sql`create table if not exists ${sql.id(indexSchema(schema), "edition")}
    (number bigint primary key, content_hash text not null, items integer not null, meta text not null, alphabet text not null)`.execute(
    db,
  );
}

/** Empty tables of a version, in place of any that were there. Indexes come when the rows are in. */
export async function createTables(db: Db, schema: string, version: number): Promise<IndexTables> {
  await dropTables(db, schema, version);
  const tables = indexTables(schema, version);
  await sql`create table ${tables.doc} (
    id integer primary key, type text collate "C" not null, slug text collate "C" not null,
    departement smallint not null, region smallint not null, tags integer[] not null, updated integer not null,
    x double precision, y double precision, z double precision, point public.geometry)`.execute(db);
  await sql`create table ${tables.word} (number integer primary key, term text collate "C" not null, documents integer not null)`.execute(
    db,
  );
  await sql`create table ${tables.posting} (word integer not null, part integer not null, packed bigint[] not null, primary key (word, part))`.execute(
    db,
  );
  // Kept out of the row and not compressed: taking an array apart must not wait for a decompressor.
  await sql`alter table ${tables.posting} alter column packed set storage external`.execute(db);
  await sql`create table ${tables.surface} (surface text collate "C" not null, word integer not null, documents integer not null)`.execute(
    db,
  );
  await sql`create table ${tables.tag} (number integer primary key, slug text collate "C" not null unique, documents integer not null, ids integer[] not null)`.execute(
    db,
  );
  await sql`alter table ${tables.tag} alter column ids set storage external`.execute(db);
  return tables;
}

export async function indexDocs(db: Db, tables: IndexTables): Promise<void> {
  await sql`create index on ${tables.word} (term)`.execute(db);
  await sql`create index on ${tables.surface} (surface)`.execute(db);
  await sql`create unique index on ${tables.doc} (type, slug)`.execute(db);
  await sql`create index on ${tables.doc} (departement, type, id)`.execute(db);
  await sql`create index on ${tables.doc} (region, type, id)`.execute(db);
  await sql`create index on ${tables.doc} (type, id)`.execute(db);
  await sql`create index on ${tables.doc} (updated, id)`.execute(db);
  await sql`create index on ${tables.doc} using gist (point public.gist_geometry_ops_nd)`.execute(db);
  for (const table of [tables.doc, tables.word, tables.posting, tables.surface, tables.tag])
    await sql`analyze ${table}`.execute(db);
}

export async function markComplete(
  db: Db,
  schema: string,
  { version, contentHash, items, meta, alphabet }: IndexEdition & { version: number; contentHash: string },
): Promise<void> {
  await sql`insert into ${sql.id(indexSchema(schema), "edition")} (number, content_hash, items, meta, alphabet)
    values (${version}, ${contentHash}, ${items}, ${meta}, ${alphabet})`.execute(db);
}

/** Null when the tables of the version are missing, not complete, or of another content. */
export async function readIndexEdition(
  db: Db,
  schema: string,
  { version, contentHash }: { version: number; contentHash: string },
): Promise<IndexEdition | null> {
  const { rows } = await sql<IndexEdition>`select items, meta, alphabet from ${sql.id(indexSchema(schema), "edition")}
    where number = ${version} and content_hash = ${contentHash}`.execute(db);
  return rows[0] ?? null;
}

export async function dropTables(db: Db, schema: string, version: number): Promise<void> {
  // The mark goes first: tables without it are rubbish, a mark without tables would be a lie.
  await sql`delete from ${sql.id(indexSchema(schema), "edition")} where number = ${version}`.execute(db);
  for (const kind of KINDS)
    await sql`drop table if exists ${sql.id(indexSchema(schema), `${kind}_${version}`)}`.execute(db);
}

/** Versions that have tables, complete or not. */
export async function versionsWithTables(db: Db, schema: string): Promise<number[]> {
  const { rows } = await sql<{
    number: number;
  }>`select distinct cast(substring(tablename from '_([0-9]+)$') as bigint) as number
    from pg_tables where schemaname = ${indexSchema(schema)} and tablename ~ '_[0-9]+$'`.execute(db);
  return rows.map(({ number }) => number);
}
