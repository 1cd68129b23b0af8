/** A row contains both variants: a summary is the first part plus a closing brace. */
import { ITEM_TYPES, type ItemType } from "@triptych/contracts";
import { readPrepared, sql } from "@triptych/storage";
import type { Hit, Variant } from "../../domain/catalogue.ts";
import type { RenderedItem } from "../../domain/index/index.ts";
import { NOT_WHOLE, type Db, type Fragment, type IndexTables } from "./index-tables.ts";
import { integerArray } from "./integer-array.ts";

const WRITTEN_AT_ONCE = 1000;

export interface BodyWriter {
  add(item: RenderedItem): Promise<void>;
  finish(): Promise<void>;
}

export function createBodyWriter(db: Db, { body }: IndexTables): BodyWriter {
  let pending: RenderedItem[] = [];
  let first = 0;
  // Pipelined: the next statement is filled while the previous one runs.
  let writing: Promise<unknown> = Promise.resolve();

  const flush = async () => {
    await writing;
    const items = pending;
    // One bytea for all items: in an array of strings every quotation mark would be escaped and parsed again.
    let end = 1;
    const begins = items.map(({ json }) => (end += json.length) - json.length);
    writing = sql`insert into ${body} (rank, summary, rest)
      select rank, convert_from(substring(bytes from begins for length), 'UTF8'), convert_from(substring(bytes from begins + length for rest), 'UTF8')
        from (select ${Buffer.concat(items.map(({ json }) => json))}::bytea as bytes) as given,
          unnest(${integerArray(items.map((_, at) => first + at))}::integer[], ${integerArray(begins)}::integer[],
            ${integerArray(items.map(({ summaryLength }) => summaryLength))}::integer[],
            ${integerArray(items.map(({ json, summaryLength }) => json.length - summaryLength))}::integer[])
            as rows (rank, begins, length, rest)`.execute(db);
    // Handled by the next `await`; avoids an unhandled rejection until then.
    writing.catch(() => {});
    first += items.length;
    pending = [];
  };

  return {
    async add(item) {
      pending.push(item);
      if (pending.length === WRITTEN_AT_ONCE) await flush();
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

interface BodySource {
  readonly db: Db;
  readonly tables: IndexTables;
}

export async function readHits(
  { db, tables }: BodySource,
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
  return Array.from(ids, (id, index) => {
    const json = byId.get(id);
    if (json === undefined) throw new Error(NOT_WHOLE);
    return hitOf(json, distances?.[index] ?? null);
  });
}

/** Reads type and slug from the start of the JSON, where they contain no quotation marks. */
export function hitOf(json: string, distanceKm: number | null): Hit {
  const type = ITEM_TYPES.find((name) => json.startsWith(name, TYPE_AT));
  if (type === undefined) throw new Error(NOT_WHOLE);
  const at = TYPE_AT + type.length + BETWEEN;
  return { type, slug: json.slice(at, json.indexOf('"', at)), json: Buffer.from(json), distanceKm };
}

export async function readBody(
  { db, tables }: BodySource,
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

export function textOf(variant: Variant): Fragment {
  return sql.raw(TEXTS[variant]);
}
