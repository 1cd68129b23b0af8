/**
 * Prerendered JSON of an item. Summary keys come first, so the summary is the first `summaryLength` bytes and a closing
 * brace. The URL has no origin, because data is independent of it; `withOrigin` inserts it without parsing.
 */
import { proFields, summaryFields, typeFields, type ItemType } from "@triptych/contracts";
import type { Hit, ItemFields } from "../catalogue.ts";
import { createHash } from "node:crypto";
import { compareBytes } from "./string-table.ts";

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
  const summary = JSON.stringify(pick(addressed, SUMMARY_KEYS));
  const rest = JSON.stringify(pick(addressed, REST_KEYS[item.type]));
  return { summary: summary.slice(0, -1), rest: `,${rest.slice(1)}` };
}

/** Takes two thirds of the time of `Object.fromEntries`; an index build does it twice for each item. */
function pick(item: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const key of keys) picked[key] = item[key];
  return picked;
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

export interface LabelledTag {
  readonly slug: string;
  readonly label: string;
}

export interface ContentHash {
  add(json: Uint8Array): void;
  /** SHA-256 in hex; `tags` are those of items, in any order. */
  finish(tags: readonly LabelledTag[]): string;
}

export function hashContent(): ContentHash {
  const hash = createHash("sha256");
  return {
    add(json) {
      hash.update(json).update("\n");
    },
    finish(tags) {
      for (const { slug, label } of tags.toSorted((a, b) => compareBytes(a.slug, b.slug)))
        hash.update(`${slug}\t${label}\n`);
      return hash.digest("hex");
    },
  };
}
