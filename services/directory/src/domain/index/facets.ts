import { FACETS, type FacetName, type ItemType } from "@triptych/contracts";
import type { Facets, FacetValue } from "../catalogue.ts";
import { DEPARTEMENTS, REGIONS } from "../reference.ts";
import { ITEM_TYPES_BY_BYTES } from "./area-numbers.ts";
import type { Column, IndexViews } from "./index-views.ts";
import { compareBytes, sizeOf, stringAt } from "./string-table.ts";

const TAGS_AT_MOST = 200;
export const TYPE_LABELS: Readonly<Record<ItemType, string>> = { actor: "Acteur", place: "Lieu", article: "Article" };

export function countFacets(index: IndexViews, ids: Uint32Array, names: readonly FacetName[]): Facets {
  const facets: Partial<Record<FacetName, readonly FacetValue[]>> = {};
  for (const name of FACETS) if (names.includes(name)) facets[name] = countFacet(index, ids, name);
  return facets;
}

function countFacet(index: IndexViews, ids: Uint32Array, name: FacetName): readonly FacetValue[] {
  switch (name) {
    case "type":
      return ranked(
        countColumn(index.type, ids),
        ITEM_TYPES_BY_BYTES.map((type) => ({ value: type, label: TYPE_LABELS[type] })),
      );
    case "departement":
      return ranked(
        countColumn(index.departement, ids),
        DEPARTEMENTS.map(({ slug, nom }) => ({ value: slug, label: nom })),
      );
    case "region":
      return ranked(
        countColumn(index.region, ids),
        REGIONS.map(({ slug, nom }) => ({ value: slug, label: nom })),
      );
    case "tag":
      return tagFacet(index, ids);
  }
}

function countColumn({ values, starts }: Column, ids: Uint32Array): Uint32Array {
  if (ids.length === values.length) return lengthsOf(starts);
  const counts = new Uint32Array(256);
  for (let i = 0; i < ids.length; i++) counts[values[ids[i]]]++;
  // The first entry counts items without a value.
  return counts.subarray(1);
}

function tagFacet(
  { tags, meta, tagLists, itemTagStarts, itemTags, count }: IndexViews,
  ids: Uint32Array,
): readonly FacetValue[] {
  const counts = ids.length === count ? lengthsOf(tagLists.starts) : new Uint32Array(sizeOf(tags));
  for (let i = 0; i < ids.length && ids.length < count; i++) {
    for (let at = itemTagStarts[ids[i]]; at < itemTagStarts[ids[i] + 1]; at++) counts[itemTags[at]]++;
  }
  const labels = new Map(meta.tags.map(({ slug, label }) => [slug, label]));
  // Tag numbers are in byte order of slugs, so the number breaks ties.
  const present = [...counts.keys()].filter((tag) => counts[tag] > 0).sort((a, b) => counts[b] - counts[a] || a - b);
  return present.slice(0, TAGS_AT_MOST).map((tag) => {
    const value = stringAt(tags, tag);
    return { value, label: labels.get(value) ?? value, count: counts[tag] };
  });
}

function lengthsOf(starts: Uint32Array): Uint32Array {
  return Uint32Array.from({ length: starts.length - 1 }, (_, value) => starts[value + 1] - starts[value]);
}

function ranked(counts: Uint32Array, values: readonly Omit<FacetValue, "count">[]): readonly FacetValue[] {
  return values
    .map((value, position) => ({ ...value, count: counts[position] }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || compareBytes(a.value, b.value));
}
