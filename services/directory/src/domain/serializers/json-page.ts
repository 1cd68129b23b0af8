/** Wraps prerendered items in the JSON envelope of a page, without parsing them. */
import type { Hit } from "../catalogue.ts";
import { itemsWithOrigin } from "../index/item-json.ts";

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
