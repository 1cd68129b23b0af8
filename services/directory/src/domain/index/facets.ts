import { FACETS, type FacetName, type ItemType } from "@triptych/contracts";
import type { Facets, FacetValue } from "../catalogue.ts";
import { DEPARTEMENTS, REGIONS } from "../reference.ts";
import { ITEM_TYPES_BY_BYTES } from "./index-views.ts";
import type { Column, IndexViews, KeyLists } from "./index-views.ts";
import { addBits, clearBits } from "./posting-sets.ts";
import type { QueryScratch } from "./query-scratch.ts";
import { compareBytes, sizeOf, stringAt } from "./string-table.ts";

/** Only communes, tags and sources have more. */
export const FACET_VALUES_MAX = 200;
const TYPE_LABELS: Readonly<Record<ItemType, string>> = { actor: "Acteur", place: "Lieu", article: "Article" };

/** Facets whose values the program knows. */
type ClosedFacet = "type" | "departement" | "region";

/** The values of each closed list, in the order of its column numbers. */
const LISTS: Readonly<Record<ClosedFacet, readonly (Omit<FacetValue, "count"> & { readonly key: string })[]>> = {
  type: ITEM_TYPES_BY_BYTES.map((type) => ({ key: type, value: type, label: TYPE_LABELS[type] })),
  departement: DEPARTEMENTS.map(({ code, slug, nom }) => ({ key: code, value: slug, label: nom })),
  region: REGIONS.map(({ code, slug, nom }) => ({ key: code, value: slug, label: nom })),
};

/** @param counts by type, code or slug. By descending count, then value; no zero counts. */
export function rankFacet(
  name: FacetName,
  counts: Iterable<readonly [key: string, count: number]>,
  labels: ReadonlyMap<string, string>,
): readonly FacetValue[] {
  const known = !isClosed(name) ? null : new Map(LISTS[name].map(({ key, value, label }) => [key, { value, label }]));
  const values = Array.from(counts, ([key, count]) => ({
    ...(known?.get(key) ?? { value: key, label: labels.get(key) ?? key }),
    count,
  }));
  return values
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || compareBytes(a.value, b.value))
    .slice(0, FACET_VALUES_MAX);
}

function isClosed(name: FacetName): name is ClosedFacet {
  return Object.hasOwn(LISTS, name);
}

export function countFacets(
  index: IndexViews,
  ids: Uint32Array,
  names: readonly FacetName[],
  scratch: QueryScratch,
): Facets {
  const facets: Partial<Record<FacetName, readonly FacetValue[]>> = {};
  for (const name of FACETS) {
    if (!names.includes(name)) continue;
    if (name === "commune") facets.commune = communeFacet(index, ids, scratch);
    else if (isClosed(name)) facets[name] = rankFacet(name, listCounts(index, ids, name), new Map());
    else {
      const counts = name === "tag" ? tagCounts(index, ids) : sourceCounts(index, ids, scratch);
      const labelled = name === "tag" ? index.meta.tags : index.meta.sources;
      facets[name] = rankFacet(name, counts, new Map(labelled.map(({ slug, label }) => [slug, label])));
    }
  }
  return facets;
}

/** Ranks by number, which is byte order, because there may be tens of thousands of names. */
function communeFacet(index: IndexViews, ids: Uint32Array, scratch: QueryScratch): FacetValue[] {
  const { commune, communeLabels } = index;
  const counts = countKeys(commune, ids, scratch);
  const found = counts.keys().filter((number) => counts[number] > 0);
  return [...found]
    .sort((a, b) => counts[b] - counts[a] || a - b)
    .slice(0, FACET_VALUES_MAX)
    .map((number) => ({
      value: stringAt(commune.keys, number),
      label: stringAt(communeLabels, number),
      count: counts[number],
    }));
}

function* sourceCounts({ source }: IndexViews, ids: Uint32Array, scratch: QueryScratch): Generator<[string, number]> {
  for (const [number, count] of countKeys(source, ids, scratch).entries())
    if (count > 0) yield [stringAt(source.keys, number), count];
}

function countKeys({ starts, ids: listed }: KeyLists, ids: Uint32Array, { count, bits }: QueryScratch): Uint32Array {
  if (ids.length === count) return lengthsOf(starts);
  const counts = new Uint32Array(starts.length - 1);
  addBits(bits, ids);
  for (let key = 0; key < counts.length; key++) {
    let found = 0;
    for (let at = starts[key]; at < starts[key + 1]; at++) found += (bits[listed[at] >>> 5] >>> (listed[at] & 31)) & 1;
    counts[key] = found;
  }
  clearBits(bits, ids);
  return counts;
}

function* listCounts(index: IndexViews, ids: Uint32Array, name: ClosedFacet): Generator<[string, number]> {
  const counts = countColumn(index[name], ids);
  for (const [position, { key }] of LISTS[name].entries()) yield [key, counts[position]];
}

function countColumn({ values, starts }: Column, ids: Uint32Array): Uint32Array {
  if (ids.length === values.length) return lengthsOf(starts);
  const counts = new Uint32Array(256);
  for (let i = 0; i < ids.length; i++) counts[values[ids[i]]]++;
  // The first entry counts items without a value.
  return counts.subarray(1);
}

function* tagCounts(
  { tags, tagLists, itemTagStarts, itemTags, count }: IndexViews,
  ids: Uint32Array,
): Generator<[string, number]> {
  const counts = ids.length === count ? lengthsOf(tagLists.starts) : new Uint32Array(sizeOf(tags));
  for (let i = 0; i < ids.length && ids.length < count; i++) {
    for (let at = itemTagStarts[ids[i]]; at < itemTagStarts[ids[i] + 1]; at++) counts[itemTags[at]]++;
  }
  for (const [tag, found] of counts.entries()) if (found > 0) yield [stringAt(tags, tag), found];
}

function lengthsOf(starts: Uint32Array): Uint32Array {
  return Uint32Array.from({ length: starts.length - 1 }, (_, value) => starts[value + 1] - starts[value]);
}
