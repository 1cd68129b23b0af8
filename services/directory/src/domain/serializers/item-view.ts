import type { Hit } from "../catalogue.ts";

export type ProjectedItem = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder();

/**
 * @param fields keys besides `type` and `slug`; null for all of the variant.
 * @param origin public URL of the service, prepended to the path in `url`.
 */
export function projectItem(
  hit: Pick<Hit, "json" | "distanceKm">,
  { fields, origin }: { fields: readonly string[] | null; origin: string },
): ProjectedItem {
  // Stored JSON was validated at import.
  const stored = JSON.parse(decoder.decode(hit.json)) as Record<string, unknown>;
  stored["url"] = `${origin}${String(stored["url"])}`;
  const entries =
    fields === null
      ? Object.entries(stored)
      : Object.entries(stored).filter(([key]) => key === "type" || key === "slug" || fields.includes(key));
  if (hit.distanceKm !== null) entries.push(["distance_km", hit.distanceKm]);
  return Object.fromEntries(entries);
}
