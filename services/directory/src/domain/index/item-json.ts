/**
 * Prerendered JSON of an item. Summary keys come first, so the summary is the first `summaryLength` bytes and a closing
 * brace. The URL has no origin, because data is independent of it; `withOrigin` inserts it without parsing.
 */
import { proFields, summaryFields, typeFields, type ItemType } from "@triptych/contracts";
import type { Hit, ItemFields } from "../catalogue.ts";

/** The two parts of an item's JSON: the summary without its closing brace, and the rest, which starts with a comma. */
export interface ItemText {
  readonly summary: string;
  readonly rest: string;
}

export interface RenderedItem {
  readonly json: Buffer;
  readonly summaryLength: number;
}

export function renderItem(item: ItemFields): RenderedItem {
  const { summary, rest } = itemText(item);
  return { json: Buffer.from(summary + rest), summaryLength: Buffer.byteLength(summary) };
}

export function itemText(item: ItemFields): ItemText {
  const addressed: Readonly<Record<string, unknown>> = { ...item, url: addressOf(item) };
  const pick = (keys: readonly string[]) =>
    JSON.stringify(Object.fromEntries(keys.map((key) => [key, addressed[key]])));
  return { summary: pick(SUMMARY_KEYS).slice(0, -1), rest: `,${pick(REST_KEYS[item.type]).slice(1)}` };
}

/**
 * The same from the item's stored JSON. With keys in contract order only the URL is missing; otherwise the item is
 * serialized again.
 */
export function itemTextOf(item: ItemFields, stored: string): ItemText {
  const opening = `{"type":"${item.type}","slug":"${item.slug}",`;
  if (!hasKeys(item, STORED_KEYS[item.type]) || !stored.startsWith(opening)) return itemText(item);
  // Inside a string the quotation mark would be escaped, and no earlier key has an object with this one.
  const end = stored.indexOf(FIRST_OF_REST);
  const address = `"url":"${addressOf(item)}",`;
  return { summary: opening + address + stored.slice(opening.length, end), rest: stored.slice(end) };
}

function hasKeys(item: ItemFields, keys: readonly string[]): boolean {
  const found = Object.keys(item);
  return found.length === keys.length && found.every((key, index) => key === keys[index]);
}

function addressOf({ type, slug }: ItemFields): string {
  return `/api/item/${type}/${slug}`;
}

/** The item as sent to clients: absolute URL, and the distance as last key. */
export function withOrigin(hit: Pick<Hit, "json" | "distanceKm">, origin: string): Buffer {
  return itemsWithOrigin([hit], origin, { before: "", after: "" });
}

export function itemsWithOrigin(
  items: readonly Pick<Hit, "json" | "distanceKm">[],
  origin: string,
  { before, after }: { before: string; after: string },
): Buffer {
  const spliced = Buffer.from(origin);
  const tails = items.map(({ distanceKm }) => (distanceKm === null ? "" : `,"distance_km":${distanceKm}`));
  let length = before.length + Buffer.byteLength(after) + Math.max(0, items.length - 1);
  for (const [index, { json }] of items.entries()) length += json.length + spliced.length + tails[index].length;

  const whole = Buffer.allocUnsafe(length);
  let at = whole.write(before, 0, "latin1");
  for (const [index, { json }] of items.entries()) {
    if (index > 0) whole[at++] = COMMA;
    // The prefix is short and in cache: a native call would cost more than the loop.
    const address = addressIn(json);
    for (let from = 0; from < address; from++) whole[at++] = json[from];
    for (let from = 0; from < spliced.length; from++) whole[at++] = spliced[from];
    // `set` copies shared memory byte by byte; `copy` moves it as a block.
    at += bufferOf(json).copy(whole, at, address, json.length - 1);
    if (tails[index] !== "") at += whole.write(tails[index], at, "latin1");
    whole[at++] = CLOSING_BRACE;
  }
  whole.write(after, at);
  return whole;
}

/** Start of the URL: type and slug before it contain no quotation marks. */
function addressIn(json: Uint8Array): number {
  let at = '{"type":"'.length;
  while (json[at] !== QUOTE) at++;
  at += '","slug":"'.length;
  while (json[at] !== QUOTE) at++;
  return at + '","url":"'.length;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const QUOTE = '"'.charCodeAt(0);
const COMMA = ",".charCodeAt(0);
const CLOSING_BRACE = "}".charCodeAt(0);

const SUMMARY_KEYS = Object.keys(summaryFields);
const REST_KEYS: Readonly<Record<ItemType, readonly string[]>> = {
  actor: [...Object.keys(proFields), ...Object.keys(typeFields.actor)],
  place: [...Object.keys(proFields), ...Object.keys(typeFields.place)],
  article: [...Object.keys(proFields), ...Object.keys(typeFields.article)],
};
const STORED_KEYS: Readonly<Record<ItemType, readonly string[]>> = {
  actor: storedKeys("actor"),
  place: storedKeys("place"),
  article: storedKeys("article"),
};
const FIRST_OF_REST = `,${JSON.stringify(Object.keys(proFields)[0])}:`;

function storedKeys(type: ItemType): string[] {
  return [...SUMMARY_KEYS.filter((key) => key !== "url"), ...REST_KEYS[type]];
}
