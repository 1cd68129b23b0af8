/**
 * The ready JSON of an item. Summary keys come first in the contract's order, so one text holds both variants: the summary is
 * the first `summaryLength` bytes and a closing brace. The address has no origin, because data do not know under which name they
 * are served; `withOrigin` splices it in at the position that type and slug determine, without parsing.
 */
import { proFields, summaryFields, typeFields, type ItemType } from "@triptych/contracts";
import type { ItemFields } from "../catalogue.ts";

export interface RenderedItem {
  readonly json: Buffer;
  /** Bytes of the summary variant without its closing brace. */
  readonly summaryLength: number;
}

export function renderItem(item: ItemFields): RenderedItem {
  const addressed: Readonly<Record<string, unknown>> = { ...item, url: `/api/item/${item.type}/${item.slug}` };
  const pick = (keys: readonly string[]) =>
    JSON.stringify(Object.fromEntries(keys.map((key) => [key, addressed[key]])));
  const summary = pick(SUMMARY_KEYS).slice(0, -1);
  const rest = pick(REST_KEYS[item.type]).slice(1);
  return { json: Buffer.from(`${summary},${rest}`), summaryLength: Buffer.byteLength(summary) };
}

/** The item as the client gets it: absolute address, and the distance behind the last key where there is one. */
export function withOrigin(
  json: Uint8Array,
  { type, slug, distanceKm }: { type: ItemType; slug: string; distanceKm: number | null },
  origin: string,
): Buffer {
  const address = '{"type":"","slug":"","url":"'.length + type.length + slug.length;
  const tail = distanceKm === null ? "}" : `,"distance_km":${distanceKm}}`;
  const whole = Buffer.allocUnsafe(json.length - 1 + Buffer.byteLength(origin) + tail.length);
  whole.set(json.subarray(0, address));
  const path = address + whole.write(origin, address);
  whole.set(json.subarray(address, json.length - 1), path);
  whole.write(tail, path + json.length - 1 - address, "latin1");
  return whole;
}

const SUMMARY_KEYS = Object.keys(summaryFields);
const REST_KEYS: Readonly<Record<ItemType, readonly string[]>> = {
  actor: [...Object.keys(proFields), ...Object.keys(typeFields.actor)],
  place: [...Object.keys(proFields), ...Object.keys(typeFields.place)],
  article: [...Object.keys(proFields), ...Object.keys(typeFields.article)],
};
