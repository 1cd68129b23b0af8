/**
 * Gives each imported row its slug. What the store has published for a `(source, id)` pair stays; a new title gets a slug of
 * its own: the title, for a place the title and its commune, then a number. The first row of a pair decides, so that the slug of
 * a repeated id does not depend on how far the file was read. Order of rows alone decides who gets the number, never timing.
 */
import type { ItemType } from "@triptych/contracts";
import { slugify, withSuffix } from "./slug.ts";

/** What the store knows of slugs already published. Both answers at once: they are asked for every row. */
export interface SlugBook {
  slugOf(sourceName: string, sourceId: string): { readonly type: ItemType; readonly slug: string } | undefined;
  taken(type: ItemType, slug: string): boolean;
}

/** The book of an empty store. */
export const EMPTY_SLUG_BOOK: SlugBook = { slugOf: () => undefined, taken: () => false };

export interface SlugWish {
  readonly type: ItemType;
  readonly sourceName: string;
  readonly sourceId: string;
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
  give(wish: SlugWish): GivenSlug;
}

export function createSlugRegistry(book: SlugBook): SlugRegistry {
  /** Of this import: pair -> its slug; type and slug -> taken; base of numbered slugs -> last number. */
  const given = new Map<string, string>();
  const inUse = new Set<string>();
  const numbers = new Map<string, number>();

  const isFree = (type: ItemType, slug: string): boolean => !inUse.has(`${type}/${slug}`) && !book.taken(type, slug);
  const numbered = (type: ItemType, base: string): string => {
    const key = `${type}/${base}`;
    // The last number is remembered: a thousand items of one name must not try a thousand numbers each.
    for (let number = (numbers.get(key) ?? 1) + 1; ; number++) {
      const slug = withSuffix(base, String(number));
      if (!isFree(type, slug)) continue;
      numbers.set(key, number);
      return slug;
    }
  };
  const choose = ({ type, title, commune, sourceId }: SlugWish): { slug: string; wanted: string | null } => {
    const base = slugify(title) || slugify(sourceId) || type;
    if (isFree(type, base)) return { slug: base, wanted: null };
    const town = type === "place" ? slugify(commune ?? "") : "";
    const local = town === "" || base.endsWith(town) ? base : withSuffix(base, town);
    if (isFree(type, local)) return { slug: local, wanted: null };
    return { slug: numbered(type, local), wanted: base };
  };

  return {
    give(wish) {
      const pair = `${wish.type}/${wish.sourceName}\0${wish.sourceId}`;
      const before = given.get(pair);
      if (before !== undefined) return { slug: before, repeated: true, wanted: null };
      const published = book.slugOf(wish.sourceName, wish.sourceId);
      const stays = published?.type === wish.type && !inUse.has(`${wish.type}/${published.slug}`);
      const { slug, wanted } = stays ? { slug: published.slug, wanted: null } : choose(wish);
      given.set(pair, slug);
      inUse.add(`${wish.type}/${slug}`);
      return { slug, repeated: false, wanted };
    },
  };
}
