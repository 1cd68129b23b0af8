/**
 * What the directory asks of an engine. A `Catalogue` is one published version and never changes: readers hold one for the
 * length of a request, so no answer mixes two versions. Every engine gives the same answers: totals, ids, order, distances,
 * facets and corrections.
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

/** A published state of the whole data set. */
export interface Version {
  /** Rises by one with each publication. */
  readonly number: number;
  /** `<number>-<first 12 hex digits of the SHA-256 of its content>`, as clients see it. */
  readonly id: string;
  /** Milliseconds since 1970, UTC. */
  readonly publishedAt: number;
}

/** The filters of a request after reading: codes and slugs only, lists sorted and without repetition. */
export interface Filters {
  /** Any of these; empty = all. */
  readonly types: readonly ItemType[];
  /** None of these. */
  readonly excludedTypes: readonly ItemType[];
  /** The one département asked for by name, as its code, or null. */
  readonly departement: string | null;
  /** Codes; any of these; empty = all. AND with `departement`. */
  readonly departements: readonly string[];
  /** Codes; any of these; empty = all. */
  readonly regions: readonly string[];
  /** All of the lists, any tag slug within one. */
  readonly tags: readonly (readonly string[])[];
  /** Slugs; items with any of these do not match. */
  readonly excludedTags: readonly string[];
  /** The raw text, or null. Engines read it with `analyseQuery`. */
  readonly text: string | null;
  /** False: a mistyped word stays as it is. */
  readonly correct: boolean;
  readonly near: Near | null;
}

/** The types that match, or null when the filters leave the type open. Empty when everything is excluded. */
export function typesOf({ types, excludedTypes }: Pick<Filters, "types" | "excludedTypes">): ItemType[] | null {
  if (types.length === 0 && excludedTypes.length === 0) return null;
  const included = types.length === 0 ? ITEM_TYPES : types;
  return included.filter((type) => !excludedTypes.includes(type));
}

/** Everything matches. */
export const NO_FILTERS: Filters = {
  types: [],
  excludedTypes: [],
  departement: null,
  departements: [],
  regions: [],
  tags: [],
  excludedTags: [],
  text: null,
  correct: true,
  near: null,
};

export interface Near {
  readonly lat: number;
  readonly lon: number;
  readonly radiusKm: number;
}

/** Which of the two ready JSON forms of an item is wanted. */
export type Variant = "summary" | "all";

export interface NormalQuery extends Filters {
  readonly sort: Sort;
  readonly offset: number;
  readonly limit: number;
  readonly variant: Variant;
}

export interface Hit {
  readonly type: ItemType;
  readonly slug: string;
  /**
   * The item's JSON in UTF-8, keys in the order of the contract, beginning `{"type":…,"slug":…,"url":"/api/item/…"`:
   * the address has no origin yet (see `withOrigin`), because a snapshot does not know under which name it is served.
   */
  readonly json: Uint8Array;
  /** Kilometres, 3 decimals; null without `near`. */
  readonly distanceKm: number | null;
}

export interface Page {
  /** Exact number of matches, whatever `limit`, `offset`, `sort` and `variant`. */
  readonly total: number;
  readonly hits: readonly Hit[];
  /** Mistyped word -> the word searched instead; null when nothing was corrected. */
  readonly corrected: Readonly<Record<string, string>> | null;
  /** Included and excluded tags that no item has, sorted. */
  readonly unknownTags: readonly string[];
}

export interface FacetValue {
  /** Type, tag slug, or slug of a département or région. */
  readonly value: string;
  readonly label: string;
  readonly count: number;
}
export type Facets = Partial<Readonly<Record<FacetName, readonly FacetValue[]>>>;

export interface CatalogueMeta {
  readonly totals: { readonly all: number; readonly located: number } & Readonly<Record<ItemType, number>>;
  /** Latest `updated_at` of its items, milliseconds; 0 when empty. */
  readonly updatedAt: number;
  /** Count per département code; absent = 0. */
  readonly departements: Readonly<Record<string, number>>;
  /** Count per région code; absent = 0. */
  readonly regions: Readonly<Record<string, number>>;
  /** By falling count, then slug. */
  readonly tags: readonly { readonly slug: string; readonly label: string; readonly count: number }[];
  /** West, south, east, north, or null when nothing is located. */
  readonly bbox: readonly [number, number, number, number] | null;
  /** Distinct licences and `sources[].name` lines, sorted. */
  readonly licences: readonly string[];
  readonly attribution: readonly string[];
}

export interface Catalogue {
  version(): Version;
  /** At once where everything is at hand: a page then costs no turn of the event loop. */
  search(query: NormalQuery): Page | Promise<Page>;
  /** The item's JSON (see `Hit.json`), or null when there is none. */
  get(type: ItemType, slug: string, variant: Variant): Promise<Uint8Array | null>;
  /** Up to `count` slugs of the type nearest in spelling, nearest first. */
  nearestSlugs(type: ItemType, slug: string, count: number): Promise<readonly string[]>;
  /** Exact counts under the filters: falling count, then value; tags at most 200; zero counts are left out. */
  facets(filters: Filters, names: readonly FacetName[]): Promise<Facets>;
  meta(): Promise<CatalogueMeta>;
  /** Every match from `query.offset`, at most `query.limit`, in order, at constant memory. */
  stream(query: NormalQuery): AsyncIterable<Hit>;
}

/** Holds the version that is served now, and swaps it when another is published. */
export interface CatalogueSource {
  /** The served catalogue, or null until the first one is open. Hold it for the length of one request. */
  current(): Catalogue | null;
  close(): Promise<void>;
}

/**
 * An item as it is stored and indexed: every key of the full set but `url`, and where it came from. The identity of an
 * imported row is `(sourceName, sourceId)`; a slug once published for that pair stays.
 */
export interface StoredItem {
  readonly sourceName: string;
  readonly sourceId: string;
  readonly item: ItemFields;
}

/** All keys of an item but its address. */
export type ItemFields = Omit<ActorItem, "url"> | Omit<PlaceItem, "url"> | Omit<ArticleItem, "url">;

/** A tag's label, as imported most often. */
export interface TagLabel {
  readonly slug: string;
  readonly label: string;
}
