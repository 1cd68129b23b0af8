/**
 * A page of a circle by distance, with total and items, in one statement. A second round trip for the items would make
 * a small circle half as expensive again. Sort order as in `pageByKey`: chord, then id.
 */
import { readPrepared, sql } from "@triptych/storage";
import type { NormalQuery, Page } from "../../domain/catalogue.ts";
import { distanceKm } from "../../domain/geo.ts";
import { hitOf, textOf } from "./stored-documents.ts";
import { NOT_WHOLE } from "./index-tables.ts";
import { toFacetKeyFilter } from "./facet-keys.ts";
import type { IndexReader } from "./match.ts";
import { insideCircle, type Circle } from "./distance-filter.ts";

/** Null when the query has more than a circle, kinds and order by distance. */
export function circleAlone({ statistics, bounds }: IndexReader, query: NormalQuery): Circle | null {
  const { near, text, tags, excludedTags, sort, offset, limit } = query;
  if (near === null || text !== null || tags.length + excludedTags.length > 0) return null;
  if (sort !== "distance" || offset + limit > bounds.sortedThere) return null;
  return { near, kinds: toFacetKeyFilter(statistics.kinds, query)?.numbers ?? null };
}

export async function readCirclePage(
  { db, tables }: IndexReader,
  circle: Circle,
  { offset, limit, variant }: Pick<NormalQuery, "offset" | "limit" | "variant">,
): Promise<Page> {
  // An empty page is still one row, with the total but no chord or text.
  const rows = await readPrepared(
    db,
    sql<{ total: number } & ({ chord: Uint8Array; json: string } | { chord: null; json: null })>`
      with inside as materialized (${insideCircle(tables, circle)}),
        nearest as materialized (select * from inside order by chord, id limit ${limit} offset ${offset}),
        page as (select id, chord, ${textOf(variant)} as json from nearest join ${tables.body} as body using (rank))
      select (select count(*) from inside) as total, float8send(chord) as chord, json
        from (select 1) as always left join page on true order by page.chord, page.id`,
  );
  const hits = rows.flatMap(({ chord, json }) => (json === null ? [] : [hitOf(json, distanceKm(doubleOf(chord)))]));
  const [{ total }] = rows;
  if (hits.length !== Math.max(0, Math.min(limit, total - offset))) throw new Error(NOT_WHOLE);
  return { total, hits, corrected: null, unknownTags: [] };
}

/** Binary, because the number of digits in text output is a server setting. */
function doubleOf({ buffer, byteOffset, length }: Uint8Array): number {
  return new DataView(buffer, byteOffset, length).getFloat64(0);
}
