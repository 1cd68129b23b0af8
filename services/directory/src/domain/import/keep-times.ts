/**
 * Importing the same file twice must publish nothing new. Times that no column gives come from the clock of the import, so an
 * item that was there before keeps them: `created_at` always, `updated_at` as long as nothing else about it has changed.
 */
import type { ItemFields } from "../catalogue.ts";
import type { Stamped } from "./read-content.ts";

/** `next` as it should be stored where `previous` stands under the same source and id. */
export function keepTimes(previous: ItemFields, next: ItemFields, stamped: Stamped): ItemFields {
  const created_at = stamped.created_at ? previous.created_at : next.created_at;
  const kept = { ...next, created_at };
  if (!stamped.updated_at) return kept;
  const unchanged = contentOf(previous) === contentOf(kept);
  return unchanged ? { ...kept, updated_at: previous.updated_at } : kept;
}

/** Everything but the time of the last change, keys in a fixed order. */
function contentOf(item: ItemFields): string {
  return JSON.stringify(
    Object.entries(item)
      .filter(([key]) => key !== "updated_at")
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
