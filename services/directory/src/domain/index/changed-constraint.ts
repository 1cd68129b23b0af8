/** Items created or changed after a version, from the version of each item's last change. */
import type { Constraint } from "./constraints.ts";
import type { IndexViews } from "./index-views.ts";
import type { QueryScratch } from "./query-scratch.ts";

export function changedConstraint(
  { changed, count }: Pick<IndexViews, "changed" | "count">,
  version: number,
  scratch: QueryScratch,
): Constraint {
  const narrow = (ids: Uint32Array, into: Uint32Array): number => {
    let length = 0;
    for (let i = 0; i < ids.length; i++) if (changed[ids[i]] > version) into[length++] = ids[i];
    return length;
  };
  return {
    // Only a scan finds the changed items, so every other constraint goes first.
    size: count,
    ids: () => scratch.ids.subarray(0, narrow(scratch.everyId, scratch.ids)),
    narrow,
  };
}
