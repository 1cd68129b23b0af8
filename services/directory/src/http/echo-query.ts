/** `query` of a response: the filters as parsed. */
import type { Sort } from "@triptych/contracts";
import type { Filters, ItemId } from "../domain/catalogue.ts";
import type { Departement, Region } from "../domain/reference.ts";
import type { ItemsQuery } from "./items-query.ts";
import { echoItemKeys, type ReadItemKeys } from "./read-item-keys.ts";

export interface ParsedQuery {
  readonly ids: readonly ItemId[] | null;
  readonly filters: Filters;
  readonly sort: Sort;
  readonly types: readonly string[];
  readonly departement: Departement | null;
  readonly departements: readonly Departement[];
  readonly regions: readonly Region[];
  readonly keys: ReadItemKeys;
}

export function echoQuery(query: ItemsQuery, parsed: ParsedQuery): Readonly<Record<string, unknown>> {
  const { ids, sort, types, departement, departements, regions, keys } = parsed;
  const { tags, excludedTags, text, near, box } = parsed.filters;
  return {
    ...(ids && { ids: ids.map(({ type, slug }) => `${type}/${slug}`) }),
    ...(types.length > 0 && { type: types }),
    ...(departement && { departement: departement.slug }),
    ...(departements.length > 0 && { departements: departements.map(({ slug }) => slug) }),
    ...(regions.length > 0 && { region: regions.map(({ slug }) => slug) }),
    ...echoItemKeys(keys, [departement === null ? [] : [departement.code], parsed.filters.departements]),
    ...(tags.length + excludedTags.length > 0 && { tag: [...tags, ...excludedTags.map((tag) => [`-${tag}`])] }),
    ...(text !== null && { q: text.trim().toLowerCase() }),
    ...(near && { near: [near.lat, near.lon], radius: near.radiusKm }),
    ...(box && { bbox: [box.west, box.south, box.east, box.north] }),
    ...(ids === null && { sort }),
    ...(query.correct === false && { correct: false }),
    ...(query.strict === true && { strict: true }),
    ...(query.synonyms === false && { synonyms: false }),
  };
}
