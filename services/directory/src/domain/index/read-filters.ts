/** Resolves the tags of a query to their numbers in an index. */
import type { Filters } from "../catalogue.ts";
import type { KeyLists } from "./index-views.ts";
import { positionOf, prefixRange, type Range, type StringTable } from "./string-table.ts";

export interface ReadTags {
  /** The known tags of each list; an empty list matches nothing. */
  readonly included: readonly (readonly number[])[];
  readonly excluded: readonly number[];
  readonly unknown: readonly string[];
}

export function readTags(names: StringTable, { tags, excludedTags }: Pick<Filters, "tags" | "excludedTags">): ReadTags {
  const unknown = new Set<string>();
  const numbersOf = (slugs: readonly string[]): number[] =>
    [...new Set(slugs)].flatMap((slug) => {
      const number = positionOf(names, slug);
      if (number >= 0) return [number];
      unknown.add(slug);
      return [];
    });
  const included = tags.map(numbersOf);
  const excluded = numbersOf(excludedTags);
  return { included, excluded, unknown: [...unknown].sort() };
}

/** The keys of an index that are in the list; an unknown key has none. */
export function keyRanges({ keys }: KeyLists, texts: readonly string[]): Range[] {
  return texts.flatMap((text) => {
    const position = positionOf(keys, text);
    return position < 0 ? [] : [{ from: position, to: position + 1 }];
  });
}

/** The keys that begin with any of the texts. */
export function prefixRanges({ keys }: KeyLists, texts: readonly string[]): Range[] {
  return texts.map((text) => prefixRange(keys, text)).filter(({ from, to }) => from < to);
}
