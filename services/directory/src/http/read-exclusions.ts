/** Parses `type` and `tag`, whose values may start with `-` to exclude, like those of `source`. */
import { ITEM_TYPES, type ItemType, type TypeFilter } from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import { slugify } from "../domain/slug.ts";

const TAGS_MAX = 20;

export function sortedSet<T extends string>(values: readonly T[]): T[] {
  return [...new Set(values)].sort();
}

export function splitTypes(values: readonly TypeFilter[]): { included: ItemType[]; excluded: ItemType[] } {
  const sortedTypes = sortedSet(ITEM_TYPES);
  return {
    included: sortedTypes.filter((type) => values.includes(type)),
    excluded: sortedTypes.filter((type) => values.includes(`-${type}`)),
  };
}

export interface TagFilters {
  readonly tags: string[][];
  readonly excludedTags: string[];
}

export function readTags(groups: unknown, errors: ValidationErrors): TagFilters {
  // Each repetition is a separate list after validation (`x-repeat` in the contract).
  const lists = (groups ?? []) as readonly (readonly string[])[];
  const values = lists.flat();
  if (values.length > TAGS_MAX)
    errors.add({ path: "?tag", reason: "too_many", message: `\`tag\` accepts at most ${TAGS_MAX} tags in total.` });
  checkExclusions("tag", values, errors);
  const included = lists
    .map((list) => sortedSet(list.filter((value) => !isExclusion(value)).map(tagOf)))
    .filter((list) => list.length > 0);
  return {
    tags: [...new Map(included.map((list) => [list.join(","), list])).values()].sort((a, b) =>
      a.join() < b.join() ? -1 : 1,
    ),
    excludedTags: sortedSet(values.filter(isExclusion).map((value) => tagOf(value.slice(1)))),
  };
}

/** A minus before a value excludes it; parameters without exclusions reject it. */
export function isExclusion(value: string): boolean {
  return /^\s*-/.test(value);
}

const EXAMPLES = { tag: "tag=-gare", source: "source=-triptych-sample" };

export function checkExclusions(name: "tag" | "source", values: readonly string[], errors: ValidationErrors): void {
  if (!values.some((value) => /^-\s*(-|$)/.test(value))) return;
  const message = `\`-\` must be followed by the ${name} to exclude, as in ${EXAMPLES[name]}.`;
  errors.add({ path: `?${name}`, reason: "wrong_form", message });
}

/** A text without any letter a-z matches nothing and appears as unknown in the response. */
function tagOf(text: string): string {
  return slugify(text) || text.trim().toLowerCase();
}
