/** An item as parsed from its stored JSON, with the keys that the plan and `fields=` leave. */
import type { Hit } from "../catalogue.ts";

export type ShownItem = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder();

/**
 * @param fields keys to keep beside `type` and `slug`; null keeps all of the variant.
 * @param origin address of the service, put before the item's path in `url`.
 */
export function shownItem(
  hit: Pick<Hit, "json" | "distanceKm">,
  { fields, origin }: { fields: readonly string[] | null; origin: string },
): ShownItem {
  // Stored JSON is our own, written from a checked item at import.
  const stored = JSON.parse(decoder.decode(hit.json)) as Record<string, unknown>;
  stored["url"] = `${origin}${String(stored["url"])}`;
  const kept =
    fields === null
      ? Object.entries(stored)
      : Object.entries(stored).filter(([key]) => key === "type" || key === "slug" || fields.includes(key));
  if (hit.distanceKm !== null) kept.push(["distance_km", hit.distanceKm]);
  return Object.fromEntries(kept);
}
