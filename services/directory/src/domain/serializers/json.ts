/** JSON of items: parsed for a selection of fields, or prerendered and joined to a page without parsing. */
import type { Hit } from "../catalogue.ts";
import { itemsWithOrigin } from "../index/item-json.ts";

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

const OPEN = '{"items":[';

/** @param envelope the members after `items`, in order. */
export function jsonPage(hits: readonly Hit[], origin: string, envelope: Readonly<Record<string, unknown>>): Buffer {
  return itemsWithOrigin(hits, origin, { before: OPEN, after: closing(envelope) });
}

export function jsonPageOf(items: readonly unknown[], envelope: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(OPEN + items.map((item) => JSON.stringify(item)).join(",") + closing(envelope));
}

function closing(envelope: Readonly<Record<string, unknown>>): string {
  return `],${JSON.stringify(envelope).slice(1)}`;
}
