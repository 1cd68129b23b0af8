/** Without filters, the counts are those of the version's description; otherwise one statement counts the matches. */
import { FACETS, type FacetName } from "@triptych/contracts";
import { sql } from "@triptych/storage";
import type { CatalogueMeta, Facets } from "../../domain/catalogue.ts";
import { rankFacet } from "../../domain/index/facets.ts";
import type { Conditions } from "./conditions.ts";
import type { Db, IndexTables } from "./index-tables.ts";

type Counts = Iterable<readonly [value: string, count: number]>;

export async function countFacets(
  { db, tables, meta }: { readonly db: Db; readonly tables: IndexTables; readonly meta: CatalogueMeta },
  conditions: Conditions,
  names: readonly FacetName[],
): Promise<Facets> {
  const requested = FACETS.filter((name) => names.includes(name));
  if (requested.length === 0) return {};
  const labels = new Map(meta.tags.map(({ slug, label }) => [slug, label]));
  const counts = conditions.isEverything ? countsOf(meta) : await countMatches(db, tables, { conditions, requested });
  return Object.fromEntries(requested.map((name) => [name, rankFacet(name, counts[name], labels)]));
}

function countsOf({ totals, departements, regions, tags }: CatalogueMeta): Record<FacetName, Counts> {
  const { actor, place, article } = totals;
  return {
    type: Object.entries({ actor, place, article }),
    departement: Object.entries(departements),
    region: Object.entries(regions),
    tag: tags.map(({ slug, count }) => [slug, count] as const),
  };
}

async function countMatches(
  db: Db,
  { entry }: IndexTables,
  { conditions, requested }: { readonly conditions: Conditions; readonly requested: readonly FacetName[] },
): Promise<Record<FacetName, Counts>> {
  const parts = requested.map((name) =>
    name === "tag"
      ? sql`select 'tag' as facet, tag as value, count(*)::integer as count from found, unnest(tags) as tag group by tag`
      : sql`select ${sql.lit(name)} as facet, ${sql.ref(name)} as value, count(*)::integer as count from found
          where ${sql.ref(name)} is not null group by ${sql.ref(name)}`,
  );
  const { rows } = await sql<{ facet: FacetName; value: string; count: number }>`
    with found as materialized (select type, departement, region, tags from ${entry} where ${conditions.where})
    ${sql.join(parts, sql` union all `)}`.execute(db);
  const counts: Record<FacetName, [string, number][]> = { type: [], departement: [], region: [], tag: [] };
  for (const { facet, value, count } of rows) counts[facet].push([value, count]);
  return counts;
}
