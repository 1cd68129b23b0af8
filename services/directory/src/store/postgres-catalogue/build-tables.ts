/**
 * Builds the tables of a version in two passes over its items: the first orders the titles, which no server collation
 * does; the second writes the rows.
 */
import { sql } from "@triptych/storage";
import { analyse } from "../../domain/analyse.ts";
import type { CatalogueMeta, ItemFields, TagLabel, VersionedItem } from "../../domain/catalogue.ts";
import { communeSlugOf, inseeOf, postalCodeOf, sourceSlugsOf } from "../../domain/filter-keys.ts";
import { unitVector } from "../../domain/geo.ts";
import { titleOrder } from "../../domain/index/build-facts.ts";
import { collectSuggestions, foldTitles } from "../../domain/index/build-suggestions.ts";
import { collectCommunes, type CountedCommune } from "../../domain/index/communes.ts";
import { hashContent, renderItem } from "../../domain/index/item-json.ts";
import { textsOf, type SearchedField } from "../../domain/index/impact-scores.ts";
import { collectMeta } from "../../domain/index/meta.ts";
import { createIndexes, createTables, markReady, type Db, type IndexTables } from "./index-tables.ts";
import { insertSuggestions } from "./suggest-entries.ts";
import { STOP, storedWord, WRITTEN, type WordRow } from "./read-words.ts";

const ROWS = 1000;
/** Limits of a tsvector: the last position, and positions per lexeme. */
const LAST_POSITION = 16_383;
const POSITIONS_MAX = 255;
/** Phrases are searched in A and B. */
const WEIGHT_LETTERS: Readonly<Record<SearchedField, string>> = {
  title: "A",
  commune: "B",
  tags: "C",
  area: "",
  text: "",
};

export interface TablesInput {
  readonly version: number;
  /** Called twice. */
  readonly items: () => AsyncIterable<VersionedItem>;
  readonly tagLabels: readonly TagLabel[];
}

export interface BuiltTables {
  readonly contentHash: string;
  readonly itemCount: number;
}

export async function buildTables(
  db: Db,
  schema: string,
  { version, items, tagLabels }: TablesInput,
): Promise<BuiltTables> {
  const labels = new Map(tagLabels.map(({ slug, label }) => [slug, label]));
  const [meta, content, communes] = [collectMeta(labels), hashContent(), collectCommunes()];
  const titles: string[] = [];
  for await (const { item } of items()) {
    content.add(renderItem(item).json);
    meta.add(item);
    communes.add(item);
    titles.push(item.title);
  }
  const about = meta.finish();
  const contentHash = content.finish(about.tags);

  // A single connection without a statement timeout: indexing millions of rows takes long.
  await db.connection().execute(async (connection) => {
    await sql`select set_config('statement_timeout', '0', false)`.execute(connection);
    try {
      const tables = await createTables(connection, schema, version);
      await writeRows(connection, tables, { items: items(), titles, labels });
      await insertCommunes(connection, tables, communes.finish());
      await createIndexes(connection, tables);
      const itemCount = titles.length;
      const described = JSON.stringify(about satisfies CatalogueMeta);
      await markReady(connection, schema, { version, contentHash, items: itemCount, meta: described });
    } finally {
      await sql`reset statement_timeout`.execute(connection);
    }
  });
  return { contentHash, itemCount: titles.length };
}

/** The place in title order of each item. */
function idsByTitle(titles: readonly string[]): Uint32Array {
  const ids = new Uint32Array(titles.length);
  for (const [id, place] of titleOrder(titles).entries()) ids[place] = id;
  return ids;
}

interface RowsInput {
  readonly items: AsyncIterable<VersionedItem>;
  readonly titles: readonly string[];
  readonly labels: ReadonlyMap<string, string>;
}

async function writeRows(db: Db, tables: IndexTables, { items, titles, labels }: RowsInput): Promise<void> {
  const ids = idsByTitle(titles);
  const words = collectWords();
  const suggestions = collectSuggestions();
  let rows: object[] = [];
  let written = 0;
  // Pipelined: the next rows are prepared while the previous ones are written.
  let writing: Promise<void> = Promise.resolve();
  const flush = async () => {
    await writing;
    writing = insertEntries(db, tables, rows);
    // Handled by the next `await`; avoids an unhandled rejection until then.
    writing.catch(() => {});
    rows = [];
  };
  for await (const { item, fromVersion } of items) {
    suggestions.add(item);
    rows.push({ ...entryRow(item, ids[written++], words.lexemesOf(item, labels)), changed: fromVersion });
    if (rows.length === ROWS) await flush();
  }
  await flush();
  await writing;
  await insertWords(db, tables, words.all());
  const suggested = suggestions.finish(foldTitles(titles), (tag) => labels.get(tag) ?? tag);
  await insertSuggestions(db, tables, { suggestions: suggested, ids });
}

function entryRow(item: ItemFields, id: number, lexemes: string): object {
  const { type, slug, departement, region, tags, location } = item;
  const updated = Date.parse(item.updated_at);
  const vector = location && unitVector(location.lat, location.lon);
  return {
    id,
    type,
    slug,
    departement: departement?.code,
    region: region?.code,
    tags,
    updated,
    lexemes,
    commune: communeSlugOf(item),
    insee: inseeOf(item),
    postal_code: postalCodeOf(item),
    sources: sourceSlugsOf(item),
    ...vector,
    ...location,
  };
}

async function insertEntries(db: Db, { entry }: IndexTables, rows: readonly object[]): Promise<void> {
  await sql`insert into ${entry}
    select id, type, slug, departement, region, tags, updated, changed, commune, insee, postal_code, sources, lexemes::tsvector,
        x, y, z, public.st_makepoint(x, y, z), lat, lon
      from json_to_recordset(${JSON.stringify(rows)}::json) as rows (id integer, type text, slug text, departement text,
        region text, tags text[], updated bigint, changed bigint, commune text, insee text, postal_code text, sources text[],
        lexemes text, x float8, y float8, z float8, lat float8, lon float8)`.execute(db);
}

interface Counted {
  documents: number;
  /** The number of the last item with it. */
  last: number;
}

interface Term extends Counted {
  /** In commune, area or tags. */
  readonly structured: Counted;
}

const uncounted = (): Counted => ({ documents: 0, last: 0 });

/** The vocabulary of all items. Stop words are stored as terms only: they are neither corrected nor completed. */
function collectWords() {
  const surfaces = new Map<string, Counted & { readonly term: string }>();
  const terms = new Map<string, Term>();
  let items = 0;

  const see = (counted: Counted): void => {
    if (counted.last === items) return;
    counted.documents++;
    counted.last = items;
  };
  const seeTerm = (term: string, field: SearchedField): void => {
    const known = terms.get(term) ?? { ...uncounted(), structured: uncounted() };
    terms.set(term, known);
    see(known);
    if (field !== "title" && field !== "text") see(known.structured);
  };
  const seeSurface = (surface: string, term: string): void => {
    const known = surfaces.get(surface) ?? { ...uncounted(), term };
    surfaces.set(surface, known);
    see(known);
  };
  const wordRow = (surface: string, term: string, documents: number): WordRow => {
    const counted = terms.get(term);
    return {
      surface,
      term,
      documents,
      term_documents: counted?.documents ?? 0,
      structured: counted?.structured.documents ?? 0,
    };
  };

  return {
    *all(): Generator<WordRow> {
      for (const [surface, { term, documents }] of surfaces) yield wordRow(surface, term, documents);
      for (const term of terms.keys()) if (term.startsWith(STOP)) yield wordRow(term, term, 0);
    },

    /** The text of a tsvector: terms with positions and the weight of their field, and the words as written. */
    lexemesOf(item: ItemFields, labels: ReadonlyMap<string, string>): string {
      items++;
      const lexemes = new Map<string, string[]>();
      let position = 0;
      for (const { field, text, keepsStopWords } of textsOf(item, (slug) => labels.get(slug))) {
        // A gap: the last word of a field and the first of the next are not side by side.
        position++;
        for (const token of analyse(text)) {
          // Stop words take no position: the words around them are side by side.
          if (!token.stop) position++;
          if (token.stop && !keepsStopWords) continue;
          const [surface, term] = [storedWord(token.surface), storedWord(token.term)];
          seeTerm(term, field);
          if (!token.stop) {
            seeSurface(surface, term);
            lexemes.set(WRITTEN + surface, []);
          }
          const at = `${Math.min(position, LAST_POSITION)}${WEIGHT_LETTERS[field]}`;
          const existing = lexemes.get(term);
          if (existing === undefined) lexemes.set(term, [at]);
          else if (existing.length < POSITIONS_MAX) existing.push(at);
        }
      }
      return Array.from(lexemes, ([lexeme, positions]) =>
        positions.length === 0 ? `'${lexeme}'` : `'${lexeme}':${positions.join(",")}`,
      ).join(" ");
    },
  };
}

async function insertWords(db: Db, { word }: IndexTables, words: Iterable<WordRow>): Promise<void> {
  const rows = [...words];
  for (let from = 0; from < rows.length; from += ROWS * 10)
    await sql`insert into ${word} select surface, term, documents, term_documents, structured
      from json_to_recordset(${JSON.stringify(rows.slice(from, from + ROWS * 10))}::json)
        as rows (surface text, term text, documents integer, term_documents integer, structured integer)`.execute(db);
}

async function insertCommunes(db: Db, { commune }: IndexTables, communes: readonly CountedCommune[]): Promise<void> {
  for (let from = 0; from < communes.length; from += ROWS * 10)
    await sql`insert into ${commune} select slug, label, codes, count
      from json_to_recordset(${JSON.stringify(communes.slice(from, from + ROWS * 10))}::json)
        as rows (slug text, label text, codes text[], count integer)`.execute(db);
}
