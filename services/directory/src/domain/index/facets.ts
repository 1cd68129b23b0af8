import { FACETS, type FacetName, type ItemType } from "@triptych/contracts";
import type { Facets, FacetValue } from "../catalogue.ts";
import { DEPARTEMENTS, REGIONS } from "../reference.ts";
import { ITEM_TYPES_BY_BYTES } from "./index-views.ts";
import type { Column, IndexViews } from "./index-views.ts";
import { compareBytes, sizeOf, stringAt } from "./string-table.ts";

/** Only tags have more. */
const VALUES_MAX = 200;
const TYPE_LABELS: Readonly<Record<ItemType, string>> = { actor: "Acteur", place: "Lieu", article: "Article" };

/** The values of each closed list, in the order of its column numbers. */
const LISTS: Readonly<
  Record<Exclude<FacetName, "tag">, readonly (Omit<FacetValue, "count"> & { readonly key: string })[]>
> = {
  type: ITEM_TYPES_BY_BYTES.map((type) => ({ key: type, value: type, label: TYPE_LABELS[type] })),
  departement: DEPARTEMENTS.map(({ code, slug, nom }) => ({ key: code, value: slug, label: nom })),
  region: REGIONS.map(({ code, slug, nom }) => ({ key: code, value: slug, label: nom })),
};

/** @param counts by type, code or tag slug. By descending count, then value; no zero counts. */
export function rankFacet(
  name: FacetName,
  counts: Iterable<readonly [key: string, count: number]>,
  labels: ReadonlyMap<string, string>,
): readonly FacetValue[] {
  const known = name === "tag" ? null : new Map(LISTS[name].map(({ key, value, label }) => [key, { value, label }]));
  const values = Array.from(counts, ([key, count]) => ({
    ...(known?.get(key) ?? { value: key, label: labels.get(key) ?? key }),
    count,
  }));
  return values
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || compareBytes(a.value, b.value))
    .slice(0, VALUES_MAX);
}

export function countFacets(index: IndexViews, ids: Uint32Array, names: readonly FacetName[]): Facets {
  const labels = new Map(index.meta.tags.map(({ slug, label }) => [slug, label]));
  const facets: Partial<Record<FacetName, readonly FacetValue[]>> = {};
  for (const name of FACETS)
    if (names.includes(name))
      facets[name] = rankFacet(name, name === "tag" ? tagCounts(index, ids) : listCounts(index, ids, name), labels);
  return facets;
}

function* listCounts(
  index: IndexViews,
  ids: Uint32Array,
  name: Exclude<FacetName, "tag">,
): Generator<[string, number]> {
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
