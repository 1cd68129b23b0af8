/**
 * Builds the tables of a version from its items. Uses the memory engine's collectors, so that numbers, impacts and
 * order are identical; only the output differs. The building process needs the memory of an index, the serving ones do
 * not.
 */
import { sql } from "@triptych/storage";
import type { CatalogueMeta, StoredItem, TagLabel } from "../../domain/catalogue.ts";
import { ITEM_TYPES_BY_BYTES } from "../../domain/index/area-numbers.ts";
import { collectFacts } from "../../domain/index/build-facts.ts";
import { collectTerms } from "../../domain/index/build-words.ts";
import { hashContent } from "../../domain/index/content-hash.ts";
import { NO_POSITION } from "../../domain/index/grid.ts";
import { renderItem } from "../../domain/index/index.ts";
import { textsOf } from "../../domain/index/item-text.ts";
import { collectMeta } from "../../domain/index/meta.ts";
import { stringAt } from "../../domain/index/string-table.ts";
import { createBlockWriter } from "./blocks.ts";
import { createBodyWriter } from "./stored-documents.ts";
import { builtSections, type BuiltSections } from "./built-index.ts";
import { integerArray } from "./integer-array.ts";
import { createTables, indexTablesOf, markReady, type Db, type IndexTables } from "./index-tables.ts";
import { collectKinds } from "./facet-keys.ts";
import { writeSections, writeKinds } from "./index-sections.ts";
import { writeColumns, writeTagLists, writeTermLists } from "./write-lists.ts";

const ROWS = 5000;

export interface TablesInput {
  readonly version: number;
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
  const [facts, terms, meta, content] = [collectFacts(), collectTerms(), collectMeta(labels), hashContent()];

  // A single connection without a statement timeout: indexing millions of rows takes long.
  return db.connection().execute(async (connection) => {
    await sql`select set_config('statement_timeout', '0', false)`.execute(connection);
    try {
      const tables = await createTables(connection, schema, version);
      const bodies = createBodyWriter(connection, tables);
      for await (const { item } of items) {
        const rendered = renderItem(item);
        content.add(rendered.json);
        await bodies.add(rendered);
        facts.add(item);
        terms.add(textsOf(item, (slug) => labels.get(slug)));
        meta.add(item);
      }
      await bodies.finish();
      const order = facts.titleOrder();
      const about = meta.finish();
      const contentHash = content.finish(about.tags);
      await write(connection, tables, {
        facts: builtSections(facts.finish(order)),
        terms: () => builtSections(terms.finish(order)),
        items: order.length,
      });
      await indexTablesOf(connection, tables);
      await markReady(connection, schema, {
        version,
        contentHash,
        items: order.length,
        meta: JSON.stringify(about satisfies CatalogueMeta),
      });
      return { contentHash, itemCount: order.length };
    } finally {
      await sql`reset statement_timeout`.execute(connection);
    }
  });
}

interface Collected {
  readonly facts: BuiltSections;
  /** Called after the facts are written, to avoid both in memory. */
  readonly terms: () => BuiltSections;
  readonly items: number;
}

async function write(db: Db, tables: IndexTables, { facts, terms: collectedTerms, items }: Collected): Promise<void> {
  const writer = createBlockWriter(db, tables);
  const { kinds, kindOf } = kindsOf(facts, items);
  const points = facts.integers("points");
  const vectors = facts.doubles("vectors");
  const axis = (id: number, offset: number) => (points[id] === NO_POSITION ? null : vectors[points[id] * 3 + offset]);
  await writeDocs(db, tables, facts);
  await writePoints(db, tables, { facts, kindOf });
  const columns = await writeColumns(writer, { facts, kindOf, axis });
  const tags = await writeTagLists(writer, facts);

  const terms = collectedTerms();
  const wordStarts = await writeTermLists(writer, terms, items);
  await writer.finish();
  await writeSections(db, tables, {
    terms: terms.bytes("terms"),
    termNames: terms.integers("termNames"),
    documents: terms.integers("documents"),
    wordStarts,
    surfaces: terms.bytes("surfaces"),
    surfaceNames: terms.integers("surfaceNames"),
    surfaceTerms: terms.integers("surfaceTerms"),
    surfaceDocuments: terms.integers("surfaceDocuments"),
    alphabet: terms.bytes("alphabet"),
    tags: facts.bytes("tags"),
    tagNames: facts.integers("tagNames"),
    tagDocuments: tags.documents,
    tagStarts: tags.starts,
    kinds: writeKinds(kinds),
    columns,
  });
}

function kindsOf(facts: BuiltSections, items: number) {
  const [types, departements, regions] = ["type", "departement", "region"].map((name) => facts.bytes(`${name}Column`));
  const { kinds, add } = collectKinds();
  const kindOf = new Uint16Array(items);
  for (let id = 0; id < items; id++) kindOf[id] = add(types[id], departements[id], regions[id]);
  return { kinds, kindOf };
}

async function writeDocs(db: Db, { doc }: IndexTables, facts: BuiltSections): Promise<void> {
  const ranks = facts.integers("ranks");
  const types = facts.bytes("typeColumn");
  const slugs = facts.table("slugs", "slugStarts");
  const [tagStarts, itemTags] = [facts.integers("itemTagStarts"), facts.integers("itemTags")];

  for (let from = 0; from < ranks.length; from += ROWS) {
    const ids = Array.from({ length: Math.min(ROWS, ranks.length - from) }, (_, at) => from + at);
    await sql`insert into ${doc} (id, rank, type, slug, tags)
      select id, rank, type, slug, cast(tags as integer[]) from unnest(${integerArray(ids)}::integer[],
          ${integerArray(ids.map((id) => ranks[id]))}::integer[], ${ids.map((id) => ITEM_TYPES_BY_BYTES[types[id] - 1])}::text[],
          ${ids.map((id) => stringAt(slugs, ranks[id]))}::text[],
          ${ids.map((id) => integerArray(itemTags.subarray(tagStarts[id], tagStarts[id + 1])))}::text[])
          as rows (id, rank, type, slug, tags)`.execute(db);
  }
}

/** In the order of the builder's grid, so that a circle touches few pages. */
async function writePoints(
  db: Db,
  { point }: IndexTables,
  { facts, kindOf }: { facts: BuiltSections; kindOf: Uint16Array },
): Promise<void> {
  const [pointIds, ranks, vectors] = [facts.integers("pointIds"), facts.integers("ranks"), facts.doubles("vectors")];
  for (let from = 0; from < pointIds.length; from += ROWS) {
    const ids = pointIds.subarray(from, from + ROWS);
    const axis = (offset: number) => `{${Array.from(ids, (_, at) => vectors[(from + at) * 3 + offset]).join(",")}}`;
    await sql`insert into ${point} (id, rank, kind, x, y, z, point)
      select id, rank, kind, x, y, z, public.st_makepoint(x, y, z) from unnest(${integerArray(ids)}::integer[],
          ${integerArray(ids.map((id) => ranks[id]))}::integer[],
          ${integerArray(Array.from(ids, (id) => kindOf[id]))}::smallint[], ${axis(0)}::double precision[],
          ${axis(1)}::double precision[], ${axis(2)}::double precision[])
          as rows (id, rank, kind, x, y, z)`.execute(db);
  }
}
