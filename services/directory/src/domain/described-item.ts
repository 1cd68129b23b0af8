/**
 * An item as a store writes it down: its JSON, its address and what tells whether it changed. Describing an item as soon as it is
 * whole spares an import most of its memory: thousands of rows wait for their turn as one text each, not as forty objects.
 */
import type { ItemType } from "@triptych/contracts";
import type { ItemFields, StoredItem } from "./catalogue.ts";
import { fingerprintOf } from "./fingerprint.ts";

export interface DescribedItem {
  readonly sourceName: string;
  readonly sourceId: string;
  readonly type: ItemType;
  readonly slug: string;
  readonly json: string;
  readonly fingerprint: string;
  /** Nothing but the import tells when it was created: an earlier time is true, should the store have one. */
  readonly createdNow: boolean;
}

export function describeItem({ sourceName, sourceId, item }: StoredItem, importedAt: number): DescribedItem {
  const { type, slug, created_at } = item;
  const json = JSON.stringify(item);
  const moment = new Date(importedAt).toISOString();
  const fingerprint = fingerprintOf(item, { moment, json });
  return { sourceName, sourceId, type, slug, json, fingerprint, createdNow: created_at === moment };
}

/** The JSON of the item as it replaces what `previous` is the JSON of: it exists since that did, unless its source says otherwise. */
export function jsonAfter(previous: string, { json, createdNow }: DescribedItem): string {
  if (!createdNow) return json;
  // Both were written by `describeItem` from an ItemFields.
  const [item, { created_at }] = [JSON.parse(json) as ItemFields, JSON.parse(previous) as ItemFields];
  return JSON.stringify({ ...item, created_at });
}
