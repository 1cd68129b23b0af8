/**
 * Gives each imported row its slug. What the store has published for a `(source, id)` pair stays; a new title gets a slug of
 * its own: the title, for a place the title and its commune, then a number. The first row of a pair decides, so that the slug of
 * a repeated id does not depend on how far the file was read. Order of rows alone decides who gets a number: the store is asked
 * about many rows at once, but each row is served in its turn, so batches of any size give the same slugs.
 */
import type { ItemType } from "@triptych/contracts";
import { distinctTexts } from "../distinct-texts.ts";
import { growingUint32 } from "../index/growing.ts";
import { slugify, withSuffix } from "./slug.ts";

/** What the store knows of slugs. Rows of this import may or may not be in it already. */
export interface SlugBook {
  /** Slugs of these rows of a source, as published now or ever. */
  slugsOf(
    sourceName: string,
    sourceIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly type: ItemType; readonly slug: string }>>;
  /** Which of these slugs are in use, and by which row of which source. */
  ownersOf(type: ItemType, slugs: readonly string[]): Promise<ReadonlyMap<string, SlugOwner>>;
}

export interface SlugOwner {
  readonly sourceName: string;
  readonly sourceId: string;
}

/** The book of an empty store. */
export const EMPTY_SLUG_BOOK: SlugBook = { slugsOf: async () => new Map(), ownersOf: async () => new Map() };

export interface SlugWish extends SlugOwner {
  readonly type: ItemType;
  readonly title: string;
  readonly commune: string | null;
}

export interface GivenSlug {
  readonly slug: string;
  /** The pair was met before in this import. */
  readonly repeated: boolean;
  /** The slug that the title asked for, when another item has it and a number was needed; else null. */
  readonly wanted: string | null;
}

export interface SlugRegistry {
  /** In the order of the wishes. */
  give(wishes: readonly SlugWish[]): Promise<GivenSlug[]>;
}

/** Numbers asked about at once when a title is taken. */
const NUMBERS = 16;

/** What a wish may get, in this order; a number is added to the last one. */
interface Candidates {
  readonly wish: SlugWish;
  readonly published: string | null;
  readonly base: string;
  readonly local: string;
}

/** `type/slug` -> who has it in the store. */
type Owners = ReadonlyMap<string, SlugOwner>;

export function createSlugRegistry(book: SlugBook): SlugRegistry {
  const given = givenAddresses();
  const numbers = lastNumbers();

  const isFree = (slug: string, { type, sourceName, sourceId }: SlugWish, owners: Owners): boolean => {
    if (given.has(`${type}/${slug}`)) return false;
    const owner = owners.get(`${type}/${slug}`);
    return owner === undefined || (owner.sourceName === sourceName && owner.sourceId === sourceId);
  };
  /** The last number is remembered: a thousand items of one name must not try a thousand numbers each. */
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
        // Asked again: an earlier row of this batch may be of the same pair.
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
  /** Source and id as one key. */
  readonly pair: string;
}

/** The slug that the pair got in this import, unless its row was of another type then. */
function slugBefore(given: GivenAddresses, { wish, pair }: Asked): string | null {
  const before = given.to(pair);
  if (before === null) return null;
  const prefix = `${wish.type}/`;
  return before.startsWith(prefix) ? before.slice(prefix.length) : null;
}

/** What this import has given so far: for each row of the file about a hundred bytes, outside of the heap. */
interface GivenAddresses {
  /** Was this `type/slug` given to any pair? It stays taken when the pair gets another. */
  has(address: string): boolean;
  /** The `type/slug` that a pair has. */
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

/** The last number that a slug was given, for each that ever got one; 1 before. */
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
