/** Other search engines over the same items and fields. Each returns the positions of its ten best items. */
import { DatabaseSync } from "node:sqlite";
import { create, insertMultiple, search } from "@orama/orama";
import { stemmer } from "@orama/stemmers/french";
import MiniSearch from "minisearch";
import { openDatabase, sql } from "@triptych/storage";
import { postgresMissing, startPostgres } from "@triptych/storage/testing";
import type { ItemFields } from "../src/domain/catalogue.ts";
import { fold } from "../src/domain/analyse.ts";

export const RESULTS = 10;

export interface Peer extends AsyncDisposable {
  readonly name: string;
  search(text: string): Promise<readonly number[]>;
}

export interface PeerFields {
  readonly id: number;
  readonly title: string;
  readonly commune: string;
  readonly tags: string;
  readonly area: string;
  readonly summary: string;
  readonly description: string;
}

const FIELDS = ["title", "commune", "tags", "area", "summary", "description"] as const;
const BOOST = { title: 3, commune: 2, tags: 2 };
const nothing = { [Symbol.asyncDispose]: () => Promise.resolve() };

export function fieldsOf(item: ItemFields, id: number, labels: ReadonlyMap<string, string>): PeerFields {
  const { commune, departement, region, address, tags, title, summary, description } = item;
  const area = [departement?.nom, region?.nom, address?.code_postal].filter((text) => text != null).join(" ");
  const tagText = tags.map((tag) => labels.get(tag) ?? tag).join(" ");
  return { id, title, commune: commune?.nom ?? "", tags: tagText, area, summary, description: description ?? "" };
}

export async function openPeers(rows: readonly PeerFields[]): Promise<Peer[]> {
  const peers = [...miniSearch(rows), await orama(rows), ...sqlite(rows)];
  const missing = postgresMissing();
  if (missing === undefined) peers.push(...(await postgres(rows)));
  else process.stdout.write(`PostgreSQL is left out: ${missing}\n`);
  return peers;
}

/** Folds accents, as its documentation advises; its default does not. */
function miniSearch(rows: readonly PeerFields[]): Peer[] {
  const index = new MiniSearch<PeerFields>({ fields: [...FIELDS], processTerm: (term) => fold(term) });
  index.addAll(rows);
  return (["OR", "AND"] as const).map((combineWith) => ({
    ...nothing,
    name: `MiniSearch ${combineWith}, fuzzy 0.2, prefix, boosts`,
    search: (text) =>
      Promise.resolve(
        index
          .search(text, { combineWith, fuzzy: 0.2, prefix: true, boost: BOOST })
          .slice(0, RESULTS)
          .map((hit) => Number(hit.id)),
      ),
  }));
}

async function orama(rows: readonly PeerFields[]): Promise<Peer> {
  const database = create({
    schema: {
      title: "string",
      commune: "string",
      tags: "string",
      area: "string",
      summary: "string",
      description: "string",
    },
    components: { tokenizer: { language: "french", stemming: true, stemmer } },
  });
  await insertMultiple(
    database,
    rows.map((row) => ({ ...row, id: String(row.id) })),
    5000,
  );
  return {
    ...nothing,
    name: "Orama, french, tolerance 1, boosts",
    async search(term) {
      const { hits } = await search(database, { term, tolerance: 1, boost: BOOST, limit: RESULTS });
      return hits.map(({ id }) => Number(id));
    },
  };
}

function sqlite(rows: readonly PeerFields[]): Peer[] {
  const database = new DatabaseSync(":memory:");
  const tokenizer = "unicode61 remove_diacritics 2";
  database.exec(`create virtual table items using fts5 (${FIELDS.join(", ")}, tokenize = '${tokenizer}')`);
  const insert = database.prepare(`insert into items (rowid, ${FIELDS.join(", ")}) values (?, ?, ?, ?, ?, ?, ?)`);
  database.exec("begin");
  for (const row of rows) insert.run(row.id, ...FIELDS.map((field) => row[field]));
  database.exec("commit");
  const find = database.prepare(
    `select rowid as id from items where items match ? order by bm25(items, 3, 2, 2, 1, 1, 1) limit ${RESULTS}`,
  );
  return (["AND", "OR"] as const).map((operator) => ({
    ...nothing,
    name: `SQLite FTS5 ${operator}, bm25, last prefix`,
    search(text) {
      const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
      const match = words.map((word) => `"${word}"`).join(` ${operator} `);
      return Promise.resolve(find.all(`${match}*`).map(({ id }) => Number(id)));
    },
  }));
}

async function postgres(rows: readonly PeerFields[]): Promise<Peer[]> {
  const server = await startPostgres({ durable: false });
  const { db, close } = await openDatabase<object>({
    url: await server.createDatabase(),
    schema: "peer",
    migrations: [],
  });
  await sql`create table items (id integer primary key, words tsvector not null)`.execute(db);
  for (let from = 0; from < rows.length; from += 2000) {
    const batch = JSON.stringify(rows.slice(from, from + 2000));
    await sql`insert into items select id,
        setweight(to_tsvector('french', title), 'A') || setweight(to_tsvector('french', commune || ' ' || tags), 'B')
          || to_tsvector('french', area || ' ' || summary || ' ' || description)
      from json_to_recordset(${batch}::json) as rows (id integer, title text, commune text, tags text, area text,
        summary text, description text)`.execute(db);
  }
  await sql`create index on items using gin (words)`.execute(db);
  let open = 2;
  const find = async (query: string) => {
    const found = await sql<{
      id: number;
    }>`select id from items, cast(${query} as tsquery) as query where words @@ query
      order by ts_rank_cd(words, query) desc, id limit ${RESULTS}`.execute(db);
    return found.rows.map(({ id }) => id);
  };
  return (["AND", "OR"] as const).map((operator) => ({
    name: `PostgreSQL french ${operator}, ts_rank_cd`,
    async search(text) {
      const parsed = await sql<{ query: string }>`select plainto_tsquery('french', ${text})::text as query`.execute(db);
      const query = parsed.rows[0].query;
      return await find(operator === "AND" ? query : query.replaceAll(" & ", " | "));
    },
    async [Symbol.asyncDispose]() {
      if (--open > 0) return;
      await close();
    },
  }));
}
