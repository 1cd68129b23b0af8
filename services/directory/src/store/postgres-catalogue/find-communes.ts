/** Finds communes by name, like `findCommunes` of the memory engine. */
import { sql } from "@triptych/storage";
import type { Commune, CommuneLookup } from "../../domain/catalogue.ts";
import { communeSlug } from "../../domain/filter-keys.ts";
import { SUGGESTIONS_MAX, withoutSeparators } from "../../domain/index/communes.ts";
import type { SearchedIndex } from "./find-page.ts";
import type { Fragment } from "./index-tables.ts";
import { nearestStoredSlugs } from "./similar-slugs.ts";

type SearchTables = Pick<SearchedIndex, "db" | "tables">;

export async function findCommunes(index: SearchTables, name: string): Promise<CommuneLookup> {
  const slug = communeSlug(name);
  const exact = await communesWhere(index, sql`slug = ${slug}`);
  if (exact.length > 0) return { found: exact, suggestions: [] };
  const compact = withoutSeparators(slug);
  const equal = compact === "" ? [] : await communesWhere(index, sql`replace(slug, '-', '') = ${compact}`);
  if (equal.length > 0) return { found: equal, suggestions: [] };

  const { db, tables } = index;
  const near = await nearestStoredSlugs({ db, from: tables.commune, where: sql`true` }, slug, SUGGESTIONS_MAX);
  const labels = new Map(
    (await communesWhere(index, sql`slug = any(${[...near]}::text[])`)).map((found) => [found.slug, found.label]),
  );
  return { found: [], suggestions: near.map((found) => labels.get(found) ?? found) };
}

async function communesWhere({ db, tables }: SearchTables, where: Fragment): Promise<Commune[]> {
  const { rows } = await sql<Commune>`
    select slug, label, codes from ${tables.commune} where ${where} order by slug`.execute(db);
  return rows;
}
