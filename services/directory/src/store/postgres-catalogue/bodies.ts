/** The items as clients get them, by rank. One row holds both variants: a summary is the first piece and a closing brace. */
import { ITEM_TYPES, type ItemType } from "@triptych/contracts";
import { readPrepared, sql } from "@triptych/storage";
import type { Hit, Variant } from "../../domain/catalogue.ts";
import type { RenderedItem } from "../../domain/index/index.ts";
import { NOT_WHOLE, type Db, type Fragment, type IndexTables } from "./index-tables.ts";
import { integerArray } from "./integer-array.ts";

/** Rows of one statement. */
const WRITTEN_AT_ONCE = 1000;

export interface BodyWriter {
  /** The next rank. */
  add(item: RenderedItem): Promise<void>;
  finish(): Promise<void>;
}

export function createBodyWriter(db: Db, { body }: IndexTables): BodyWriter {
  let held: RenderedItem[] = [];
  let first = 0;
  // One statement is under way while the next is filled: reading and analysing items need not wait for the database.
  let writing: Promise<unknown> = Promise.resolve();

  const flush = async () => {
    await writing;
    const items = held;
    // The bytes go in one piece: as an array of texts each quotation mark of each item would have to be escaped, and read back.
    let end = 1;
    const begins = items.map(({ json }) => (end += json.length) - json.length);
    writing = sql`insert into ${body} (rank, summary, rest)
      select rank, convert_from(substring(bytes from begins for length), 'UTF8'), convert_from(substring(bytes from begins + length for rest), 'UTF8')
        from (select ${Buffer.concat(items.map(({ json }) => json))}::bytea as bytes) as given,
          unnest(${integerArray(items.map((_, at) => first + at))}::integer[], ${integerArray(begins)}::integer[],
            ${integerArray(items.map(({ summaryLength }) => summaryLength))}::integer[],
            ${integerArray(items.map(({ json, summaryLength }) => json.length - summaryLength))}::integer[])
            as rows (rank, begins, length, rest)`.execute(db);
    // Heard when it is waited for; until then its failure has no listener.
    writing.catch(() => {});
    first += items.length;
    held = [];
  };

  return {
    async add(item) {
      held.push(item);
      if (held.length === WRITTEN_AT_ONCE) await flush();
    },
    async finish() {
      await flush();
      await writing;
    },
  };
}

const TYPE_AT = '{"type":"'.length;
const BETWEEN = '","slug":"'.length;
const TEXTS: Readonly<Record<Variant, string>> = { summary: "body.summary || '}'", all: "body.summary || body.rest" };

interface Place {
  readonly db: Db;
  readonly tables: IndexTables;
}

/** The items of a page, in its order. */
export async function readHits(
  { db, tables }: Place,
  { ids, distances, variant }: { ids: Uint32Array; distances: readonly number[] | null; variant: Variant },
): Promise<Hit[]> {
  if (ids.length === 0) return [];
  const rows = await readPrepared(
    db,
    sql<{ id: number; json: string }>`
      select doc.id, ${textOf(variant)} as json
        from ${tables.doc} as doc join ${tables.body} as body on body.rank = doc.rank
       where doc.id = any(${integerArray(ids)}::integer[])`,
  );
  const byId = new Map(rows.map(({ id, json }) => [id, json]));
  return Array.from(ids, (id, place) => {
    const json = byId.get(id);
    if (json === undefined) throw new Error(NOT_WHOLE);
    return hitOf(json, distances?.[place] ?? null);
  });
}

/** Type and slug stand at the beginning of the text itself, without quotation marks in them: no row need be visited for them. */
export function hitOf(json: string, distanceKm: number | null): Hit {
  const type = ITEM_TYPES.find((name) => json.startsWith(name, TYPE_AT));
  if (type === undefined) throw new Error(NOT_WHOLE);
  const at = TYPE_AT + type.length + BETWEEN;
  return { type, slug: json.slice(at, json.indexOf('"', at)), json: Buffer.from(json), distanceKm };
}

/** Null when there is no such item. */
export async function readBody(
  { db, tables }: Place,
  { type, slug, variant }: { type: ItemType; slug: string; variant: Variant },
): Promise<Uint8Array | null> {
  const rows = await readPrepared(
    db,
    sql<{ json: string }>`
      select ${textOf(variant)} as json from ${tables.doc} as doc join ${tables.body} as body on body.rank = doc.rank
       where doc.type = ${type} and doc.slug = ${slug}`,
  );
  return rows[0] === undefined ? null : Buffer.from(rows[0].json);
}

/** Of a row called `body`. */
export function textOf(variant: Variant): Fragment {
  return sql.raw(TEXTS[variant]);
}
