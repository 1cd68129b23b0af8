import { ITEM_TYPES, type ItemType } from "./item.ts";

export const LIMIT_MAX = 100;
export const LIMIT_DEFAULT = 20;
export const OFFSET_MAX = 1_000_000_000;
export const SUGGEST_LETTERS_MAX = 100;
export const SUGGEST_LIMIT_MAX = 20;
export const SUGGEST_LIMIT_DEFAULT = 10;
export const RADIUS_MAX_KM = 200;
export const RADIUS_DEFAULT_KM = 10;
export const SORTS = ["relevance", "distance", "title", "updated_at", "-updated_at"] as const;
/** Values of `type` in a list: a type, or `-` and a type to exclude it. */
export type TypeFilter = ItemType | `-${ItemType}`;
export const TYPE_FILTERS: readonly TypeFilter[] = [...ITEM_TYPES, ...ITEM_TYPES.map((type): TypeFilter => `-${type}`)];
export const FACETS = ["type", "departement", "region", "commune", "tag", "source"] as const;
/** Maximum number of values in `insee` and `code_postal`, and in `ids`. */
export const CODES_MAX = 100;
export const IDS_MAX = 100;
export const LIST_FORMATS = ["json", "geojson", "csv", "ndjson"] as const;
export const ITEM_FORMATS = ["json", "geojson", "ld+json"] as const;
export const MEDIA_TYPES = {
  json: "application/json",
  geojson: "application/geo+json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
  "ld+json": "application/ld+json",
} as const;

export type Sort = (typeof SORTS)[number];
export type FacetName = (typeof FACETS)[number];
export type ListFormat = (typeof LIST_FORMATS)[number];
export type ItemFormat = (typeof ITEM_FORMATS)[number];
