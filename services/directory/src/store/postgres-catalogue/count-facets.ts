/** Counts per kind are precomputed; other filters count over the matches or the tag lists. */
import type { FacetName } from "@triptych/contracts";
import { sql } from "@triptych/storage";
import type { Facets, FacetValue, Filters } from "../../domain/catalogue.ts";
import { ITEM_TYPES_BY_BYTES } from "../../domain/index/area-numbers.ts";
import { TYPE_LABELS } from "../../domain/index/index.ts";
import { addBits, bitsFor, hasBit } from "../../domain/index/posting-sets.ts";
import { compareBytes, stringAt } from "../../domain/index/string-table.ts";
import { DEPARTEMENTS, REGIONS } from "../../domain/reference.ts";
import { spanOf, takeAll } from "./candidate-postings.ts";
import { COLUMN_WIDTHS, visitColumn } from "./doc-values.ts";
import { integerArray } from "./integer-array.ts";
import { readColumnNumber, readIds } from "./posting-codec.ts";
import type { FacetKey } from "./facet-keys.ts";
import { match, type IndexReader } from "./match.ts";
import { isOfKindsAlone, readQuery, type ReadQuery } from "./read-query.ts";

const TAGS_AT_MOST = 200;
/** Up to this many matches, tags are looked up per item; above, all tag lists are scanned. */
const LOOKED_UP = 2000;

export async function countFacets(
  indexReader: IndexReader,
  filters: Filters,
  { names, labels }: { readonly names: readonly FacetName[]; readonly labels: ReadonlyMap<string, string> },
): Promise<Facets> {
  const query = readQuery(indexReader.statistics, filters);
  const requested = (["type", "departement", "region", "tag"] as const).filter((name) => names.includes(name));
  const counts = await countAll(indexReader, query, requested.includes("tag"));
  const facets: Partial<Record<FacetName, readonly FacetValue[]>> = {};
  for (const name of requested)
    facets[name] = name === "tag" ? rankedTags(indexReader, counts.tags, labels) : ranked(counts.kinds, name);
  return facets;
}

interface Counts {
  readonly kinds: readonly FacetKey[];
  readonly tags: Uint32Array;
}

async function countAll(indexReader: IndexReader, query: ReadQuery, withTags: boolean): Promise<Counts> {
  const { statistics, reader } = indexReader;
  if (query.isHopeless) return { kinds: [], tags: new Uint32Array(0) };
  const ofKindsAlone = isOfKindsAlone(query);
  if (ofKindsAlone && query.kinds === null) return { kinds: statistics.kinds, tags: statistics.tags.documents };
  if (ofKindsAlone && query.kinds !== null && !withTags)
    return { kinds: query.kinds.numbers.map((number) => statistics.kinds[number]), tags: new Uint32Array(0) };

  const { ids } = await match(indexReader, query);
  const counts = new Uint32Array(statistics.kinds.length);
  await visitColumn(reader, statistics.columns.kind, ids, (text, at) => {
    counts[readColumnNumber(text, at, COLUMN_WIDTHS.kind)]++;
  });
  const kinds = statistics.kinds.map((kind, number) => ({ ...kind, count: counts[number] }));
  return { kinds, tags: withTags ? await countTags(indexReader, ids) : new Uint32Array(0) };
}

async function countTags({ db, tables, statistics, reader }: IndexReader, ids: Uint32Array): Promise<Uint32Array> {
  const { tags } = statistics;
  const counts = new Uint32Array(tags.documents.length);
  if (ids.length <= LOOKED_UP) {
    const { rows } = await sql<{ tag: number; count: number }>`select tag, count(*) as count
      from ${tables.doc} as doc, unnest(doc.tags) as tag where doc.id = any(${integerArray(ids)}::integer[]) group by tag`.execute(
      db,
    );
    for (const { tag, count } of rows) counts[tag] = count;
    return counts;
  }
  const matching = bitsFor(statistics.items);
  addBits(matching, ids);
  const lists = Array.from(counts, (_, tag) => ({
    spans: [spanOf(tags, tag)],
    take(text: Uint8Array) {
      for (const id of readIds(text, tags.documents[tag])) if (hasBit(matching, id)) counts[tag]++;
    },
  }));
  await takeAll(reader, lists);
  return counts;
}

function ranked(kinds: readonly FacetKey[], name: Exclude<FacetName, "tag">): readonly FacetValue[] {
  const counts = new Map<number, number>();
  for (const kind of kinds) counts.set(kind[name], (counts.get(kind[name]) ?? 0) + kind.count);
  return VALUES[name]
    .map((value, position) => ({ ...value, count: counts.get(position + 1) ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || compareBytes(a.value, b.value));
}

/** By number from 1; 0 means none. */
const VALUES: Readonly<Record<Exclude<FacetName, "tag">, readonly Omit<FacetValue, "count">[]>> = {
  type: ITEM_TYPES_BY_BYTES.map((type) => ({ value: type, label: TYPE_LABELS[type] })),
  departement: DEPARTEMENTS.map(({ slug, nom }) => ({ value: slug, label: nom })),
  region: REGIONS.map(({ slug, nom }) => ({ value: slug, label: nom })),
};

/** Tag numbers are in byte order of slugs, so the number breaks ties. */
function rankedTags(
  { statistics }: IndexReader,
  counts: Uint32Array,
  labels: ReadonlyMap<string, string>,
): readonly FacetValue[] {
  const present = [...counts.keys()].filter((tag) => counts[tag] > 0).sort((a, b) => counts[b] - counts[a] || a - b);
  return present.slice(0, TAGS_AT_MOST).map((tag) => {
    const value = stringAt(statistics.tags.names, tag);
    return { value, label: labels.get(value) ?? value, count: counts[tag] };
  });
}
