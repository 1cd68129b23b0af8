/** The JSON envelope of a page around the ready bytes of its items: nothing of an item is parsed or written again. */
import type { Hit } from "../catalogue.ts";
import { withOrigin } from "../index/item-json.ts";

const COMMA = Buffer.from(",");
const OPEN = Buffer.from('{"items":[');

/** @param envelope the members behind `items`, in their order. */
export function jsonPage(hits: readonly Hit[], origin: string, envelope: Readonly<Record<string, unknown>>): Buffer {
  const chunks: Uint8Array[] = [OPEN];
  for (const hit of hits) {
    if (chunks.length > 1) chunks.push(COMMA);
    chunks.push(withOrigin(hit.json, hit, origin));
  }
  return closePage(chunks, envelope);
}

/** The same around items that `fields=` narrowed. */
export function jsonPageOf(items: readonly unknown[], envelope: Readonly<Record<string, unknown>>): Buffer {
  return closePage([OPEN, Buffer.from(items.map((item) => JSON.stringify(item)).join(","))], envelope);
}

function closePage(chunks: Uint8Array[], envelope: Readonly<Record<string, unknown>>): Buffer {
  chunks.push(Buffer.from(`],${JSON.stringify(envelope).slice(1)}`));
  return Buffer.concat(chunks);
}
