/** Resolves the tags of a query to their numbers in an index. */
import type { Filters } from "../catalogue.ts";
import { positionOf, type StringTable } from "./string-table.ts";

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
