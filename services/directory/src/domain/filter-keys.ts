/** The normalized values by which items are filtered, shared by all engines. */
import { memoize } from "@triptych/util";
import { SHORT_FORMS } from "./analyse.ts";
import type { ItemFields } from "./catalogue.ts";
import { slugify } from "./slug.ts";

/** A build reads the names of an item's commune and source several times. The cache takes 2 MB. */
const REMEMBERED_MAX = 16_384;

/** Equal for all spellings of a commune's name; empty without any letter a-z or digit. */
export const communeSlug = memoize(
  (name) =>
    slugify(name)
      .split("-")
      .map((word) => SHORT_FORMS.get(word) ?? word)
      .join("-"),
  REMEMBERED_MAX,
);

export function communeSlugOf({ commune }: Pick<ItemFields, "commune">): string | null {
  return communeSlug(commune?.nom ?? "") || null;
}

/** Slugs of towns that a word of a query may name; queries leave out articles. */
export function slugsOfTown(word: string): string[] {
  return ["", "la-", "le-", "les-", "l-"].map((article) => `${article}${communeSlug(word)}`);
}

export function inseeOf({ commune }: Pick<ItemFields, "commune">): string | null {
  return commune?.code ?? null;
}

/** Five digits; null for other texts. `35042 CEDEX` counts as 35042. */
export function postalCodeOf({ address }: Pick<ItemFields, "address">): string | null {
  return /^(\d{5})(?!\d)/.exec((address?.code_postal ?? "").replaceAll(/\s/g, ""))?.[1] ?? null;
}

/** A name without any letter a-z is used unchanged. */
export const sourceSlug = memoize((name) => slugify(name) || name.trim().toLowerCase(), REMEMBERED_MAX);

/** Sorted and unique. */
export function sourceSlugsOf({ sources }: Pick<ItemFields, "sources">): string[] {
  return sources.length === 1
    ? [sourceSlug(sources[0].name)]
    : [...new Set(sources.map(({ name }) => sourceSlug(name)))].sort();
}
