/**
 * Assigns slugs to imported rows. A published `(source, ID)` pair keeps its slug; a new row gets its title, for a place
 * title and commune, then a number. The store is queried for many rows at a time, but slugs are assigned in row order,
 * so the result does not depend on batch size.
 */
import type { ItemType } from "@triptych/contracts";
import { distinctTexts } from "../string-interner.ts";
import { growingUint32 } from "../index/growable-array.ts";
import { slugify, withSuffix } from "./slug.ts";

/** The slugs in the store, which may or may not include rows of this import. */
export interface SlugBook {
  /** Published slugs of these rows of a source, current and former. */
  slugsOf(
    sourceName: string,
    sourceIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly type: ItemType; readonly slug: string }>>;
  ownersOf(type: ItemType, slugs: readonly string[]): Promise<ReadonlyMap<string, SlugOwner>>;
}

export interface SlugOwner {
  readonly sourceName: string;
  readonly sourceId: string;
}

export const EMPTY_SLUG_BOOK: SlugBook = { slugsOf: async () => new Map(), ownersOf: async () => new Map() };

export interface SlugWish extends SlugOwner {
  readonly type: ItemType;
  readonly title: string;
  readonly commune: string | null;
}

export interface GivenSlug {
  readonly slug: string;
  readonly repeated: boolean;
  /** The unnumbered slug, when a number was necessary; else null. */
  readonly wanted: string | null;
}

export interface SlugRegistry {
  give(wishes: readonly SlugWish[]): Promise<GivenSlug[]>;
}

/** Numbers checked per query when a title is taken. */
const NUMBERS = 16;

/** Candidate slugs in order of preference; a number is appended to the last one. */
interface Candidates {
  readonly wish: SlugWish;
  readonly published: string | null;
  readonly base: string;
  readonly local: string;
}

type Owners = ReadonlyMap<string, SlugOwner>;

export function createSlugRegistry(book: SlugBook): SlugRegistry {
  const given = givenAddresses();
  const numbers = lastNumbers();

  const isFree = (slug: string, { type, sourceName, sourceId }: SlugWish, owners: Owners): boolean => {
    if (given.has(`${type}/${slug}`)) return false;
    const owner = owners.get(`${type}/${slug}`);
    return owner === undefined || (owner.sourceName === sourceName && owner.sourceId === sourceId);
  };
  /** Remembers the last number per slug: a thousand equal titles must not try a thousand numbers each. */
  const numbered = async (base: string, wish: SlugWish): Promise<string> => {
    const key = `${wish.type}/${base}`;
    for (let first = numbers.of(key) + 1; ; first += NUMBERS) {
      const tries = Array.from({ length: NUMBERS }, (_, place) => first + place);
      const slugs = tries.map((number) => withSuffix(base, String(number)));
      const owners = keyed(wish.type, await book.ownersOf(wish.type, slugs));
      const place = slugs.findIndex((slug) => isFree(slug, wish, owners));
      if (place < 0) continue;
      numbers.set(key, tries[place]);
      return slugs[place];
    }
  };
  const choose = async (
    { wish, published, base, local }: Candidates,
    owners: Owners,
  ): Promise<Omit<GivenSlug, "repeated">> => {
    if (published !== null && isFree(published, wish, owners)) return { slug: published, wanted: null };
    if (isFree(base, wish, owners)) return { slug: base, wanted: null };
    if (isFree(local, wish, owners)) return { slug: local, wanted: null };
    return { slug: await numbered(local, wish), wanted: base };
  };

  return {
    async give(wishes) {
      const asked = wishes.map((wish): Asked => ({ wish, pair: `${wish.sourceName}\0${wish.sourceId}` }));
      const unknown = asked.filter((one) => slugBefore(given, one) === null);
      const candidates = await candidatesOf(unknown, book);
      const owners = await ownersOf([...candidates.values()], book);
      const slugs: GivenSlug[] = [];
      for (const one of asked) {
        const repeated = given.to(one.pair) !== null;
        // Checked again: an earlier row of this batch may be of the same pair.
        const before = repeated ? slugBefore(given, one) : null;
        const wanted = candidates.get(one.wish);
        if (before !== null || wanted === undefined) {
          slugs.push({ slug: before ?? "", repeated, wanted: null });
          continue;
        }
        const chosen = await choose(wanted, owners);
        const address = `${one.wish.type}/${chosen.slug}`;
        given.give(one.pair, address);
        slugs.push({ ...chosen, repeated });
      }
      return slugs;
    },
  };
}

interface Asked {
  readonly wish: SlugWish;
  readonly pair: string;
}

/** The pair's slug in this import, unless that row had another type. */
function slugBefore(given: GivenAddresses, { wish, pair }: Asked): string | null {
  const before = given.to(pair);
  if (before === null) return null;
  const prefix = `${wish.type}/`;
  return before.startsWith(prefix) ? before.slice(prefix.length) : null;
}

/** The slugs of this import: about a hundred bytes per row, outside the heap. */
interface GivenAddresses {
  /** Whether any pair has had this `type/slug`; it stays reserved. */
  has(address: string): boolean;
  to(pair: string): string | null;
  give(pair: string, address: string): void;
}

function givenAddresses(): GivenAddresses {
  const [pairs, addresses, addressOf] = [distinctTexts(), distinctTexts(), growingUint32()];
  return {
    has: (address) => addresses.find(address) >= 0,
    to(pair) {
      const number = pairs.find(pair);
      return number < 0 ? null : addresses.textAt(addressOf.at(number));
    },
    give(pair, address) {
      const number = pairs.numberOf(pair);
      const given = addresses.numberOf(address);
      if (number < addressOf.length) addressOf.set(number, given);
      else addressOf.push(given);
    },
  };
}

function lastNumbers() {
  const [bases, numbers] = [distinctTexts(), growingUint32()];
  return {
    of(base: string): number {
      const known = bases.find(base);
      return known < 0 ? 1 : numbers.at(known);
    },
    set(base: string, number: number): void {
      const known = bases.numberOf(base);
      if (known < numbers.length) numbers.set(known, number);
      else numbers.push(number);
    },
  };
}

async function candidatesOf(asked: readonly Asked[], book: SlugBook): Promise<Map<SlugWish, Candidates>> {
  const candidates = new Map<SlugWish, Candidates>();
  for (const [sourceName, rows] of Map.groupBy(asked, ({ wish }) => wish.sourceName)) {
    const published = await book.slugsOf(sourceName, [...new Set(rows.map(({ wish }) => wish.sourceId))]);
    for (const { wish } of rows) candidates.set(wish, candidatesFor(wish, published.get(wish.sourceId)));
  }
  return candidates;
}

function candidatesFor(wish: SlugWish, published: { type: ItemType; slug: string } | undefined): Candidates {
  const base = slugify(wish.title) || slugify(wish.sourceId) || wish.type;
  const town = wish.type === "place" ? slugify(wish.commune ?? "") : "";
  const alreadyLocal = town === "" || base === town || base.endsWith(`-${town}`);
  return {
    wish,
    published: published?.type === wish.type ? published.slug : null,
    base,
    local: alreadyLocal ? base : withSuffix(base, town),
  };
}

async function ownersOf(candidates: readonly Candidates[], book: SlugBook): Promise<Owners> {
  const owners = new Map<string, SlugOwner>();
  for (const [type, rows] of Map.groupBy(candidates, ({ wish }) => wish.type)) {
    const slugs = new Set(
      rows.flatMap(({ published, base, local }) => (published === null ? [base, local] : [published, base, local])),
    );
    for (const [slug, owner] of keyed(type, await book.ownersOf(type, [...slugs]))) owners.set(slug, owner);
  }
  return owners;
}

function keyed(type: ItemType, owners: ReadonlyMap<string, SlugOwner>): Owners {
  return new Map(Array.from(owners, ([slug, owner]) => [`${type}/${slug}`, owner]));
}
