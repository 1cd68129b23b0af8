/**
 * The interface of a search engine. A `Catalogue` is one immutable version; readers use one per request, so no response
 * mixes versions. All engines return equal totals, sets, distances, facets and corrections, and the same order except for
 * relevance.
 */
import {
  ITEM_TYPES,
  type ActorItem,
  type ArticleItem,
  type FacetName,
  type ItemType,
  type PlaceItem,
  type Sort,
} from "@triptych/contracts";
import type { Suggestion, SuggestQuery } from "./suggestions.ts";

import type { Synonyms } from "./search/synonyms.ts";
import type { Relaxed } from "./search/text-plan.ts";

export interface Version {
  readonly number: number;
  /** `<number>-<first 12 hex digits of the content's SHA-256>`, as sent to clients. */
  readonly id: string;
  /** Milliseconds since 1970, UTC. */
  readonly publishedAt: number;
}

/** Parsed filters: codes and slugs, lists sorted and unique. */
export interface Filters {
  /** Combined with OR; all if empty. */
  readonly types: readonly ItemType[];
  readonly excludedTypes: readonly ItemType[];
  readonly departement: string | null;
  /** Codes, combined with OR; all if empty. AND with `departement`. */
  readonly departements: readonly string[];
  /** Codes, combined with OR; all if empty. */
  readonly regions: readonly string[];
  /** Slugs of commune names (`communeSlug`), combined with OR; all if empty. */
  readonly communes: readonly string[];
  /** INSEE codes of communes, combined with OR; all if empty. */
  readonly insee: readonly string[];
  /** Postal codes or their first digits, combined with OR; all if empty. */
  readonly postalCodes: readonly string[];
  /** Slugs, combined with OR; all if empty. */
  readonly sources: readonly string[];
  /** Slugs; items with any of these do not match. */
  readonly excludedSources: readonly string[];
  /** Lists of slugs: OR within a list, AND between lists. */
  readonly tags: readonly (readonly string[])[];
  /** Slugs; items with any of these do not match. */
  readonly excludedTags: readonly string[];
  readonly text: string | null;
  readonly correct: boolean;
  /** Whether to skip the relaxed second step when all words together match nothing. */
  readonly strict: boolean;
  /** Null if words match only themselves. */
  readonly synonyms: Synonyms | null;
  readonly near: Near | null;
  /** Number of a version; only items created or changed in later versions match. */
  readonly changedAfter: number | null;
  readonly box: Box | null;
}

/** The matching types; null without a type filter, empty when everything is excluded. */
export function typesOf({ types, excludedTypes }: Pick<Filters, "types" | "excludedTypes">): ItemType[] | null {
  if (types.length === 0 && excludedTypes.length === 0) return null;
  const included = types.length === 0 ? ITEM_TYPES : types;
  return included.filter((type) => !excludedTypes.includes(type));
}

export const NO_FILTERS: Filters = {
  types: [],
  excludedTypes: [],
  departement: null,
  departements: [],
  regions: [],
  communes: [],
  insee: [],
  postalCodes: [],
  sources: [],
  excludedSources: [],
  tags: [],
  excludedTags: [],
  text: null,
  correct: true,
  strict: false,
  synonyms: null,
  near: null,
  changedAfter: null,
  box: null,
};

export interface Near {
  readonly lat: number;
  readonly lon: number;
  readonly radiusKm: number;
}

/** Degrees with at most 6 decimals, like locations; borders included. West above east crosses the antimeridian. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export type Variant = "summary" | "all";

export interface NormalQuery extends Filters {
  readonly sort: Sort;
  readonly offset: number;
  readonly limit: number;
  readonly variant: Variant;
}

export interface Hit {
  /**
   * The item's JSON in UTF-8, keys in contract order, starting `{"type":…,"slug":…,"url":"/api/item/…"`. The URL has no
   * origin (see `withOrigin`), because a snapshot does not depend on it.
   */
  readonly json: Uint8Array;
  readonly distanceKm: number | null;
}

export interface Page {
  /** Exact number of matches, independent of `limit`, `offset`, `sort` and `variant`. */
  readonly total: number;
  readonly hits: readonly Hit[];
  /** Mistyped word -> its correction; null without corrections. */
  readonly corrected: Readonly<Record<string, string>> | null;
  /** What was dropped or widened, when all words together matched nothing. */
  readonly relaxed: Relaxed | null;
  readonly unknownTags: readonly string[];
}

export interface FacetValue {
  /** Type, or slug of a département, région, commune name, tag or source. */
  readonly value: string;
  readonly label: string;
  readonly count: number;
}
export type Facets = Partial<Readonly<Record<FacetName, readonly FacetValue[]>>>;

export interface CatalogueMeta {
  readonly totals: { readonly all: number; readonly located: number } & Readonly<Record<ItemType, number>>;
  /** Latest `updated_at` of its items, milliseconds; 0 when empty. */
  readonly updatedAt: number;
  readonly departements: Readonly<Record<string, number>>;
  readonly regions: Readonly<Record<string, number>>;
  /** By descending count, then slug. */
  readonly tags: readonly { readonly slug: string; readonly label: string; readonly count: number }[];
  /** By descending count, then slug; the label is the most frequent spelling. */
  readonly sources: readonly { readonly slug: string; readonly label: string; readonly count: number }[];
  /** West, south, east, north; null without located items. */
  readonly bbox: readonly [number, number, number, number] | null;
  /** Distinct licenses and `sources[].name` lines, sorted. */
  readonly licences: readonly string[];
  readonly attribution: readonly string[];
}

export interface ItemId {
  readonly type: ItemType;
  readonly slug: string;
}

/** All communes with the same name, as written in items. */
export interface Commune {
  readonly slug: string;
  /** The most frequent spelling. */
  readonly label: string;
  /** INSEE codes, sorted; empty when no item has one. */
  readonly codes: readonly string[];
}

export interface CommuneLookup {
  /** Several names only if they differ in nothing but separators. */
  readonly found: readonly Commune[];
  /** Names, nearest first; empty when something was found. */
  readonly suggestions: readonly string[];
}

export interface Catalogue {
  version(): Version;
  search(query: NormalQuery): Promise<Page>;
  get(type: ItemType, slug: string, variant: Variant): Promise<Uint8Array | null>;
  /** Items in the order of the list; null for those that do not exist. */
  getAll(ids: readonly ItemId[], variant: Variant): Promise<readonly (Uint8Array | null)[]>;
  /** The communes of this name; or, without any, the nearest names. */
  findCommunes(name: string): Promise<CommuneLookup>;
  /** The `count` slugs of the type with the nearest spelling, nearest first. */
  nearestSlugs(type: ItemType, slug: string, count: number): Promise<readonly string[]>;
  /** Exact counts by descending count, then value; at most 200 values each; no zero counts. */
  facets(filters: Filters, names: readonly FacetName[]): Promise<Facets>;
  /** At most `limit` suggestions, best first. */
  suggest(query: SuggestQuery): Promise<readonly Suggestion[]>;
  meta(): Promise<CatalogueMeta>;
  stream(query: NormalQuery): AsyncIterable<Hit>;
}

export interface CatalogueSource {
  /** The current catalogue, null until the first one is open. Use one for a whole request. */
  current(): Catalogue | null;
  close(): Promise<void>;
}

/**
 * A stored and indexed item: all fields except `url`, and its source. `(sourceName, sourceId)` identifies an imported
 * row; its published slug never changes.
 */
export interface StoredItem {
  readonly sourceName: string;
  readonly sourceId: string;
  readonly item: ItemFields;
}

/** An item of a published or staged version, and the version in which it was created or last changed. */
export interface VersionedItem extends StoredItem {
  readonly fromVersion: number;
}

export type ItemFields = Omit<ActorItem, "url"> | Omit<PlaceItem, "url"> | Omit<ArticleItem, "url">;

/** A tag's label: its most frequent spelling. */
export interface TagLabel {
  readonly slug: string;
  readonly label: string;
}
