/** Reads the parameters whose values may begin with `-`, which excludes: `type` and `tag`. */
import { ITEM_TYPES, type ItemType, type TypeFilter } from "@triptych/contracts";
import type { Faults } from "@triptych/server";
import { slugOf } from "../domain/slug.ts";

const TAGS_MAX = 20;

export function sortedSet<T extends string>(values: readonly T[]): T[] {
  return [...new Set(values)].sort();
}

export function splitTypes(values: readonly TypeFilter[]): { included: ItemType[]; excluded: ItemType[] } {
  const inByteOrder = sortedSet(ITEM_TYPES);
  return {
    included: inByteOrder.filter((type) => values.includes(type)),
    excluded: inByteOrder.filter((type) => values.includes(`-${type}`)),
  };
}

export interface TagFilters {
  /** All of the lists, any tag slug within one. */
  readonly tags: string[][];
  /** Slugs, without `-`. */
  readonly excludedTags: string[];
}

export function readTags(groups: unknown, faults: Faults): TagFilters {
  // The validator kept each repetition as a list of its own (`x-repeat` of the contract).
  const lists = (groups ?? []) as readonly (readonly string[])[];
  const values = lists.flat();
  if (values.length > TAGS_MAX)
    faults.add({ path: "?tag", reason: "too_many", message: `\`tag\` may name at most ${TAGS_MAX} tags in all.` });
  if (values.some((value) => /^-\s*(-|$)/.test(value)))
    faults.add({
      path: "?tag",
      reason: "wrong_form",
      message: "`-` excludes the tag that follows it, as in tag=-gare.",
    });
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

function isExclusion(value: string): boolean {
  return value.startsWith("-");
}

/** A text without any letter a-z is kept: it matches nothing, and the answer lists it as unknown. */
function tagOf(text: string): string {
  return slugOf(text) || text.trim().toLowerCase();
}
