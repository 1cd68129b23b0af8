/** Without filters, the counts are those of the version's description; otherwise one statement counts the matches. */
import { FACETS, type FacetName } from "@triptych/contracts";
import { sql } from "@triptych/storage";
import type { CatalogueMeta, Facets } from "../../domain/catalogue.ts";
import { FACET_VALUES_MAX, rankFacet } from "../../domain/index/facets.ts";
import type { Conditions } from "./conditions.ts";
import type { Db, Fragment, IndexTables } from "./index-tables.ts";

type Counts = Iterable<readonly [value: string, count: number]>;

interface CountedIndex {
  readonly db: Db;
  readonly tables: IndexTables;
  readonly meta: CatalogueMeta;
}

export async function countFacets(
  index: CountedIndex,
  conditions: Conditions,
  names: readonly FacetName[],
): Promise<Facets> {
  const requested = FACETS.filter((name) => names.includes(name));
  if (requested.length === 0) return {};
  const counts = conditions.isEverything
    ? await readCounts(index, requested)
    : await countMatches(index, { conditions, requested });
  const labels: Partial<Record<FacetName, ReadonlyMap<string, string>>> = {
    tag: labelsOf(index.meta.tags),
    source: labelsOf(index.meta.sources),
    commune: await communeLabels(index, counts.commune),
  };
  return Object.fromEntries(requested.map((name) => [name, rankFacet(name, counts[name], labels[name] ?? NONE)]));
}

const NONE: ReadonlyMap<string, string> = new Map();

function labelsOf(entries: readonly { readonly slug: string; readonly label: string }[]): ReadonlyMap<string, string> {
  return new Map(entries.map(({ slug, label }) => [slug, label]));
}

async function communeLabels({ db, tables }: CountedIndex, counts: Counts): Promise<ReadonlyMap<string, string>> {
  const slugs = Array.from(counts, ([slug]) => slug);
  if (slugs.length === 0) return NONE;
  const { rows } = await sql<{ slug: string; label: string }>`
    select slug, label from ${tables.commune} where slug = any(${slugs}::text[])`.execute(db);
  return labelsOf(rows);
}

/** The counts of all items, which `buildTables` stored. */
async function readCounts(
  { db, tables, meta }: CountedIndex,
  requested: readonly FacetName[],
): Promise<Record<FacetName, Counts>> {
  const { totals, departements, regions, tags, sources } = meta;
  const { actor, place, article } = totals;
  return {
    type: Object.entries({ actor, place, article }),
    departement: Object.entries(departements),
    region: Object.entries(regions),
    commune: requested.includes("commune") ? await allCommunes(db, tables) : [],
    tag: tags.map(({ slug, count }) => [slug, count] as const),
    source: sources.map(({ slug, count }) => [slug, count] as const),
  };
}

async function allCommunes(db: Db, { commune }: IndexTables): Promise<Counts> {
  const { rows } = await sql<{ slug: string; items: number }>`
    select slug, items from ${commune} order by items desc, slug limit ${FACET_VALUES_MAX}`.execute(db);
  return rows.map(({ slug, items }) => [slug, items] as const);
}

async function countMatches(
  { db, tables: { entry } }: CountedIndex,
  { conditions, requested }: { readonly conditions: Conditions; readonly requested: readonly FacetName[] },
): Promise<Record<FacetName, Counts>> {
  const { rows } = await sql<{ facet: FacetName; value: string; count: number }>`
    with found as materialized (
      select type, departement, region, tags, commune, sources from ${entry} where ${conditions.where})
    ${sql.join(requested.map(selectCounts), sql` union all `)}`.execute(db);
  const counts: Record<FacetName, [string, number][]> = {
    type: [],
    departement: [],
    region: [],
    commune: [],
    tag: [],
    source: [],
  };
  for (const { facet, value, count } of rows) counts[facet].push([value, count]);
  return counts;
}

/** Open lists are cut here, because they may have tens of thousands of values. */
function selectCounts(name: FacetName): Fragment {
  switch (name) {
    case "tag":
      return mostFrequent(name, sql`found, unnest(tags) as value`);
    case "source":
      return mostFrequent(name, sql`found, unnest(sources) as value`);
    case "commune":
      return mostFrequent(name, sql`(select commune as value from found where commune is not null) as named`);
    case "type":
    case "departement":
    case "region":
      return sql`select ${sql.lit(name)} as facet, ${sql.ref(name)} as value, count(*)::integer as count from found
        where ${sql.ref(name)} is not null group by ${sql.ref(name)}`;
  }
}

function mostFrequent(name: FacetName, from: Fragment): Fragment {
  return sql`(select ${sql.lit(name)} as facet, value, count(*)::integer as count from ${from}
    group by value order by count desc, value limit ${FACET_VALUES_MAX})`;
}
