/** Reads stored items: their bodies are in the table of published items, not in the index. */
import { sql } from "@triptych/storage";
import type { Hit, ItemId, Variant } from "../../domain/catalogue.ts";
import { itemText } from "../../domain/index/item-json.ts";
import { itemOf } from "../published-versions.ts";
import { visibleIn } from "../tables.ts";
import type { Match, SearchedIndex } from "./find-page.ts";
import { NOT_WHOLE } from "./index-tables.ts";

export async function readAll(
  db: SearchedIndex["db"],
  ids: readonly ItemId[],
  { variant, version }: { readonly variant: Variant; readonly version: number },
): Promise<(Buffer | null)[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("item")
    .select(["type", "slug", "body"])
    .where(
      sql<boolean>`(type, slug) in (select * from unnest(${ids.map(({ type }) => type)}::text[],
        ${ids.map(({ slug }) => slug)}::text[]))`,
    )
    .where(visibleIn(version))
    .execute();
  const bodies = new Map(rows.map(({ type, slug, body }) => [`${type}/${slug}`, body]));
  return ids.map(({ type, slug }) => {
    const body = bodies.get(`${type}/${slug}`);
    return body === undefined ? null : render(body, variant);
  });
}

/** In the order of the matches. */
export async function readHits(
  index: SearchedIndex,
  matches: readonly Match[],
  { variant, version }: { readonly variant: Variant; readonly version: number },
): Promise<Hit[]> {
  const ids = matches.map(({ id }) => id);
  const bodies = await readBodies(index, version, ids);
  return matches.map(({ id, distanceKm }) => {
    const body = bodies.get(id);
    if (body === undefined) throw new Error(NOT_WHOLE);
    return { json: render(body, variant), distanceKm };
  });
}

/** By number of the index entry. */
export async function readBodies(
  { db, tables }: SearchedIndex,
  version: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; body: string }>`
    select entry.id, item.body from ${tables.entry} as entry
      join ${sql.table("item")} as item on item.type = entry.type and item.slug = entry.slug and ${visibleIn(version)}
     where entry.id = any(${[...ids]}::integer[])`.execute(db);
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/** The item's JSON as in a snapshot. */
export function render(body: string, variant: Variant): Buffer {
  const { summary, rest } = itemText(itemOf(body));
  return Buffer.from(summary + (variant === "all" ? rest : "}"));
}
