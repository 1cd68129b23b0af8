/**
 * Fills the tables of a version from its items. Numbers, impacts and order come from the very collectors that build the memory
 * engine's index, so there is nothing in which the two could differ; only the last step, where the arrays go, is another. While it
 * runs, the building process needs the memory of an index; those that serve do not.
 */
import { sql } from "@triptych/storage";
import type { CatalogueMeta, StoredItem, TagLabel } from "../../domain/catalogue.ts";
import { ITEM_TYPES_BY_BYTES } from "../../domain/index/area-numbers.ts";
import { collectFacts } from "../../domain/index/build-facts.ts";
import { collectWords, NO_COLUMN } from "../../domain/index/build-words.ts";
import { hashContent } from "../../domain/index/content-hash.ts";
import { NOWHERE } from "../../domain/index/grid.ts";
import { renderItem } from "../../domain/index/index.ts";
import { textsOf } from "../../domain/index/item-text.ts";
import { collectMeta } from "../../domain/index/meta.ts";
import type { SectionArray } from "../../domain/index/snapshot.ts";
import { sizeOf, stringAt, type StringTable } from "../../domain/index/string-table.ts";
import { createTables, indexDocs, markComplete, type Db, type IndexTables } from "./index-tables.ts";

/** Rows of one statement. */
const ROWS = 5000;
/** Postings of one row, and bytes of text in one statement at most: an array of a billion bytes is refused by the server. */
const PART = 100_000;
const STATEMENT_BYTES = 4_000_000;
const INDEXED_CHARACTERS = 250;

export interface TablesInput {
  readonly version: number;
  /** In order of (type, slug) by bytes. */
  readonly items: AsyncIterable<StoredItem>;
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
  const [facts, words, meta, content] = [collectFacts(), collectWords(), collectMeta(labels), hashContent()];
  for await (const { item } of items) {
    content.add(renderItem(item).json);
    facts.add(item);
    words.add(textsOf(item, (slug) => labels.get(slug)));
    meta.add(item);
  }
  const order = facts.titleOrder();
  const about = meta.finish();
  const contentHash = content.finish(about.tags);
  const edition = { version, contentHash, items: order.length, meta: JSON.stringify(about satisfies CatalogueMeta) };

  // One connection throughout, whose statements may take their time: an index over millions of rows does.
  return db.connection().execute(async (connection) => {
    await sql`select set_config('statement_timeout', '0', false)`.execute(connection);
    try {
      const tables = await createTables(connection, schema, version);
      await writeDocs(connection, tables, readSections(facts.finish(order)));
      const sections = readSections(words.finish(order));
      await writeWords(connection, tables, { sections, items: order.length });
      await indexDocs(connection, tables);
      const alphabet = Buffer.from(sections.bytes("alphabet")).toString();
      await markComplete(connection, schema, { ...edition, alphabet });
    } finally {
      await sql`reset statement_timeout`.execute(connection);
    }
    return { contentHash, itemCount: order.length };
  });
}

/** The collectors' arrays by their names. */
interface Sections {
  bytes(name: string): Uint8Array;
  integers(name: string): Uint32Array;
  doubles(name: string): Float64Array;
  table(bytes: string, starts: string): StringTable;
}

function readSections(sections: Iterable<readonly [string, SectionArray]>): Sections {
  const arrays = new Map(sections);
  const find = (name: string): SectionArray => {
    const array = arrays.get(name);
    if (array === undefined) throw new Error(`the index builder made no section "${name}"`);
    return array;
  };
  const integers = (name: string): Uint32Array => {
    const array = find(name);
    if (!(array instanceof Uint32Array)) throw new TypeError(`section "${name}" holds no integers`);
    return array;
  };
  const bytes = (name: string): Uint8Array => {
    const array = find(name);
    if (!(array instanceof Uint8Array)) throw new TypeError(`section "${name}" holds no bytes`);
    return array;
  };
  const doubles = (name: string): Float64Array => {
    const array = find(name);
    if (!(array instanceof Float64Array)) throw new TypeError(`section "${name}" holds no doubles`);
    return array;
  };
  return { bytes, integers, doubles, table: (text, starts) => ({ bytes: bytes(text), starts: integers(starts) }) };
}

async function writeDocs(db: Db, tables: IndexTables, sections: Sections): Promise<void> {
  const ranks = sections.integers("ranks");
  const slugs = sections.table("slugs", "slugStarts");
  const [types, departements, regions] = ["type", "departement", "region"].map((name) =>
    sections.bytes(`${name}Column`),
  );
  const [tagStarts, itemTags] = [sections.integers("itemTagStarts"), sections.integers("itemTags")];
  const [points, vectors] = [sections.integers("points"), sections.doubles("vectors")];
  const updated = updateRanks(sections);
  const axis = (id: number, offset: number) => (points[id] === NOWHERE ? null : vectors[points[id] * 3 + offset]);

  for (let from = 0; from < ranks.length; from += ROWS) {
    const ids = Array.from({ length: Math.min(ROWS, ranks.length - from) }, (_, at) => from + at);
    await sql`insert into ${tables.doc} (id, type, slug, departement, region, tags, updated, x, y, z, point)
      select id, type, slug, departement, region, cast(tags as integer[]), updated, x, y, z, public.st_makepoint(x, y, z)
        from unnest(${ids}::integer[], ${ids.map((id) => ITEM_TYPES_BY_BYTES[types[id] - 1])}::text[],
          ${ids.map((id) => stringAt(slugs, ranks[id]))}::text[], ${ids.map((id) => departements[id])}::smallint[],
          ${ids.map((id) => regions[id])}::smallint[],
          ${ids.map((id) => `{${itemTags.subarray(tagStarts[id], tagStarts[id + 1]).join(",")}}`)}::text[],
          ${ids.map((id) => updated[id])}::integer[], ${ids.map((id) => axis(id, 0))}::double precision[],
          ${ids.map((id) => axis(id, 1))}::double precision[], ${ids.map((id) => axis(id, 2))}::double precision[])
          as rows (id, type, slug, departement, region, tags, updated, x, y, z)`.execute(db);
  }
  await writeTags(db, tables, sections);
}

async function writeTags(db: Db, tables: IndexTables, sections: Sections): Promise<void> {
  const tags = sections.table("tags", "tagNames");
  const [starts, ids] = [sections.integers("tagStarts"), sections.integers("tagIds")];
  for (let number = 0; number < sizeOf(tags); number++) {
    const list = ids.subarray(starts[number], starts[number + 1]);
    await sql`insert into ${tables.tag} (number, slug, documents, ids)
      values (${number}, ${stringAt(tags, number)}, ${list.length}, cast(${`{${list.join(",")}}`} as integer[]))`.execute(
      db,
    );
  }
}

/** The place of each item's time among all distinct times: sorts like the time. */
function updateRanks(sections: Sections): Uint32Array {
  const [order, groups] = [sections.integers("updateOrder"), sections.integers("updateGroups")];
  const ranks = new Uint32Array(order.length);
  for (let group = 0; group + 1 < groups.length; group++) {
    for (let at = groups[group]; at < groups[group + 1]; at++) ranks[order[at]] = group;
  }
  return ranks;
}

async function writeWords(
  db: Db,
  tables: IndexTables,
  { sections, items }: { sections: Sections; items: number },
): Promise<void> {
  const terms = sections.table("terms", "termNames");
  const documents = sections.integers("documents");
  await inRows(sizeOf(terms), async (numbers) => {
    await sql`insert into ${tables.word} (number, term, documents)
      select * from unnest(${numbers}::integer[], ${numbers.map((number) => shown(stringAt(terms, number)))}::text[],
        ${numbers.map((number) => documents[number])}::integer[])`.execute(db);
  });

  const surfaces = sections.table("surfaces", "surfaceNames");
  const [surfaceTerms, surfaceDocuments] = [sections.integers("surfaceTerms"), sections.integers("surfaceDocuments")];
  await inRows(sizeOf(surfaces), async (numbers) => {
    await sql`insert into ${tables.surface} (surface, word, documents)
      select * from unnest(${numbers.map((number) => shown(stringAt(surfaces, number)))}::text[],
        ${numbers.map((number) => surfaceTerms[number])}::integer[], ${numbers.map((number) => surfaceDocuments[number])}::integer[])`.execute(
      db,
    );
  });

  let rows: { word: number; part: number; packed: string }[] = [];
  let length = 0;
  const flush = async () => {
    await sql`insert into ${tables.posting} (word, part, packed)
      select word, part, cast(packed as bigint[]) from unnest(${rows.map(({ word }) => word)}::integer[],
        ${rows.map(({ part }) => part)}::integer[], ${rows.map(({ packed }) => packed)}::text[]) as rows (word, part, packed)`.execute(
      db,
    );
    rows = [];
    length = 0;
  };
  for (let word = 0; word < sizeOf(terms); word++) {
    for (const [part, packed] of partsOf(sections, word, items)) {
      rows.push({ word, part, packed });
      length += packed.length;
      if (length >= STATEMENT_BYTES) await flush();
    }
  }
  await flush();
}

/** A query is at most 200 characters long, so what comes later in a word is never compared; and an index refuses long keys. */
function shown(word: string): string {
  return word.length <= INDEXED_CHARACTERS ? word : Array.from(word).slice(0, INDEXED_CHARACTERS).join("");
}

/** Postings of a term as texts of arrays, whichever way the builder keeps them. */
function* partsOf(sections: Sections, word: number, items: number): Generator<[part: number, packed: string]> {
  const [starts, ids, impacts] = [
    sections.integers("wordStarts"),
    sections.integers("wordIds"),
    sections.bytes("wordImpacts"),
  ];
  const column = sections.integers("columnOf")[word];
  const packed: number[] = [];
  let part = 0;
  function* take(id: number, impact: number): Generator<[number, string]> {
    packed.push(id * 256 + impact);
    if (packed.length === PART) yield [part++, `{${packed.splice(0).join(",")}}`];
  }
  if (column === NO_COLUMN) {
    for (let at = starts[word]; at < starts[word + 1]; at++) yield* take(ids[at], impacts[at]);
  } else {
    const impactOf = sections.bytes("columns").subarray(column * items, (column + 1) * items);
    for (let id = 0; id < items; id++) if (impactOf[id] > 0) yield* take(id, impactOf[id]);
  }
  if (packed.length > 0) yield [part, `{${packed.join(",")}}`];
}

async function inRows(count: number, write: (numbers: number[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += ROWS) {
    await write(Array.from({ length: Math.min(ROWS, count - from) }, (_, at) => from + at));
  }
}
