/** `ids`: a list of items instead of a search. */
import { ITEM_TYPES } from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import type { Catalogue, Hit, ItemId, NormalQuery, Page } from "../domain/catalogue.ts";
import type { ItemsQuery } from "./items-query.ts";

const ALLOWED_WITH_IDS: ReadonlySet<string> = new Set(["ids", "limit", "offset", "fields", "format", "key"]);

/** Repeated IDs count once, at their first position. */
export function readIds(query: ItemsQuery, errors: ValidationErrors): readonly ItemId[] | null {
  if (query.ids === undefined) return null;
  const others = Object.keys(query).filter((name) => !ALLOWED_WITH_IDS.has(name));
  for (const name of query.limit === "all" ? [...others, "limit"] : others) {
    const what = name === "limit" ? "`limit=all`" : `\`${name}\``;
    const message = `${what} cannot be combined with \`ids\`, which lists its items itself; remove one of them.`;
    errors.add({ path: `?${name}`, reason: "not_with_ids", message });
  }
  return [...new Set(query.ids)].flatMap((id) => {
    const [type, slug] = id.split("/", 2);
    const known = ITEM_TYPES.find((itemType) => itemType === type);
    return known === undefined || slug === undefined ? [] : [{ type: known, slug }];
  });
}

export interface IdsPage extends Page {
  /** As `type/slug`, in the order of the request. */
  readonly missing: readonly string[];
}

export async function findByIds(
  catalogue: Catalogue,
  ids: readonly ItemId[],
  { offset, limit, variant }: Pick<NormalQuery, "offset" | "limit" | "variant">,
): Promise<IdsPage> {
  const items = await catalogue.getAll(ids, variant);
  const hits = items.flatMap((json): Hit[] => (json === null ? [] : [{ json, distanceKm: null }]));
  return {
    total: hits.length,
    hits: hits.slice(offset, offset + limit),
    corrected: null,
    relaxed: null,
    unknownTags: [],
    missing: ids.filter((_, position) => items[position] === null).map(({ type, slug }) => `${type}/${slug}`),
  };
}
