/**
 * PostgreSQL and PostGIS in a conventional design: GIN over a tsvector and over tags, GiST over geographies, b-trees on
 * filters in title order, `ts_rank` and `ST_Distance` for sorting. Unlogged tables, no parallel workers (one core for
 * all), no JIT (a net cost here), 256 MB work_mem, 2 GB shared_buffers, page costs for data in memory.
 */
import { openDatabase, readPrepared, sql, type Database } from "@triptych/storage";
import { startPostgres } from "@triptych/storage/testing";
import type { PeerItem, PeerLoading, PeerQuery } from "./peers-query.ts";

type Fragment = ReturnType<typeof sql<unknown>>;

const TABLES = [
  `create unlogged table item (id integer primary key, type text not null, departement text, region text,
     title_rank integer not null, tags text[] not null, words tsvector not null, place public.geography(point))`,
  "create unlogged table body (id integer primary key, json text not null)",
];
const INDEXES = [
  "create index on item using gin (words)",
  "create index on item using gin (tags)",
  "create index on item using gist (place)",
  "create index on item (type, departement, title_rank)",
  "create index on item (region, title_rank)",
  "vacuum (analyze, freeze) item",
  "vacuum (analyze, freeze) body",
];
/** The same for the PostgreSQL engine, on this server too. */
export const SHARED_BUFFERS = "2GB";
/** Per session: the pool closes idle connections during loading, and their `set` would be lost. */
const SETTINGS = {
  work_mem: "256MB",
  maintenance_work_mem: "1GB",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  effective_cache_size: "4GB",
  random_page_cost: "1.1",
};
const HOUR_MS = 3_600_000;
/** Meters of PostGIS's sphere: the mean radius of WGS 84, 3 cm less than ours. */
const SPHERE = (2 * 6_378_137 + 6_356_752.314_245_179) / 3;
const WEIGHT_LETTERS: Readonly<Record<number, string>> = { 3: "A", 2: "B", 1: "" };
/** Limits of a tsvector: positions up to 16,383, at most 255 per word. */
const LAST_POSITION = 16_383;

export async function loadPostgres(): Promise<PeerLoading> {
  const name = "PostgreSQL + PostGIS";
  const server = await startPostgres({ durable: false, sharedBuffers: SHARED_BUFFERS });
  const database = await openDatabase<object>({
    url: withSettings(await server.createDatabase({ postgis: true })),
    schema: "peer",
    migrations: [],
    connections: 1,
    statementMs: HOUR_MS,
  });
  const run = (text: string) => sql.raw(text).execute(database.db);
  for (const text of TABLES) await run(text);
  // Pipelined: one batch is written while the next is generated, because the server has its own core.
  let writing: Promise<void> = Promise.resolve();
  return {
    name,
    async add(batch) {
      await writing;
      writing = load(database, batch);
    },
    async finish() {
      await writing;
      for (const text of INDEXES) await run(text);
      const { rows } = await sql<{ bytes: number }>`
        select pg_total_relation_size('item') + pg_total_relation_size('body') as bytes`.execute(database.db);
      return {
        name,
        bytes: rows[0].bytes,
        search: (query) => (query.sort === "title" ? searchInOrder(database, query) : searchAndSort(database, query)),
      };
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}

function withSettings(url: string): string {
  const options = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
  return `${url}&options=${encodeURIComponent(options.join(" "))}`;
}

async function load(database: Database<object>, batch: readonly PeerItem[]): Promise<void> {
  const rows = batch.map(({ id, type, departement, region, titleRank, tags, terms, location, json }) => ({
    id,
    type,
    departement,
    region,
    title_rank: titleRank,
    tags,
    words: tsvectorOf(terms),
    place: location && `POINT(${location.lon} ${location.lat})`,
    json,
  }));
  await sql`
    with given as materialized (select * from json_to_recordset(${JSON.stringify(rows)}::json) as r (id int, type text,
      departement text, region text, title_rank int, tags text[], words text, place text, json text)),
    bodies as (insert into body select id, json from given)
    insert into item select id, type, departement, region, title_rank, tags, words::tsvector, place::public.geography
    from given`.execute(database.db);
}

function tsvectorOf(terms: PeerItem["terms"]): string {
  const positionsByTerm = new Map<string, string[]>();
  for (const [position, { term, weight }] of terms.entries()) {
    const existing = positionsByTerm.get(term) ?? [];
    existing.push(`${Math.min(position + 1, LAST_POSITION)}${WEIGHT_LETTERS[weight] ?? ""}`);
    positionsByTerm.set(term, existing);
  }
  return Array.from(
    positionsByTerm,
    ([term, positions]) => `${quoted(term)}:${positions.slice(0, 255).join(",")}`,
  ).join(" ");
}

/** The index returns the page in title order; the total is a separate query. */
async function searchInOrder(database: Database<object>, query: PeerQuery) {
  const where = conditionsOf(query);
  const { db } = database;
  const [{ total }] = await readPrepared(db, sql<{ total: number }>`select count(*) as total from item where ${where}`);
  const page = await readPrepared(
    db,
    sql`select json from (select id, title_rank from item where ${where} order by title_rank limit ${query.limit} offset ${query.offset}) found
      join body using (id) order by title_rank`,
  );
  return { total, returned: page.length };
}

/** Sorting visits every match, so they are counted in the same query. */
async function searchAndSort(database: Database<object>, query: PeerQuery) {
  const where = conditionsOf(query);
  const key =
    query.near === null
      ? sql`-ts_rank(words, ${rankingOf(query)}::tsquery)`
      : sql`public.st_distance(place, ${pointOf(query.near)}, false)`;
  const rows = await readPrepared(
    database.db,
    sql<{ total: number }>`
      with found as materialized (select id, title_rank, ${key} as key from item where ${where}),
      page as (select json from (select id from found order by key, title_rank limit ${query.limit} offset ${query.offset}) one
        join body using (id))
      select (select count(*) from found) as total, json from (select 1) always left join page on true`,
  );
  const [{ total }] = rows;
  return { total, returned: Math.min(rows.length, total) };
}

function conditionsOf(query: PeerQuery): Fragment {
  const conditions: Fragment[] = [];
  const within = (column: string, values: readonly string[]) => {
    if (values.length > 0) conditions.push(sql`${sql.ref(column)} in (${sql.join(values)})`);
  };
  if (query.termGroups.length > 0) conditions.push(sql`words @@ ${tsqueryOf(query)}::tsquery`);
  if (query.near !== null) {
    // On the sphere, as in our engines; the spheroid would give other totals.
    conditions.push(sql`public.st_dwithin(place, ${pointOf(query.near)}, ${query.near.angle * SPHERE}::float8, false)`);
  }
  for (const any of query.tags) conditions.push(sql`tags && array[${sql.join(any)}]::text[]`);
  within("type", query.types);
  within("departement", query.departements);
  within("region", query.regions);
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

function pointOf({ lat, lon }: { lat: number; lon: number }): Fragment {
  return sql`${`POINT(${lon} ${lat})`}::public.geography`;
}

function tsqueryOf({ termGroups }: PeerQuery): string {
  return termGroups.map(({ any }) => `(${any.map(quoted).join(" | ")})`).join(" & ");
}

/** `ts_rank` is quadratic in query words, half a minute for hundreds: an unfinished word ranks as `word:*`. */
function rankingOf({ termGroups }: PeerQuery): string {
  return termGroups
    .map(({ any, beginning }) => (beginning === null ? quoted(any[0]) : `${quoted(beginning)}:*`))
    .join(" & ");
}

function quoted(term: string): string {
  return `'${term.replaceAll("'", "''")}'`;
}
