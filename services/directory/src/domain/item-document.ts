/**
 * An item as stored: its JSON, its slug and its fingerprint. Serializing items early saves an import most of its
 * memory: batches of thousands of rows contain one string each instead of forty objects.
 */
import { hash } from "node:crypto";
import type { ItemType } from "@triptych/contracts";
import type { ItemFields, StoredItem } from "./catalogue.ts";

export interface DescribedItem {
  readonly sourceName: string;
  readonly sourceId: string;
  readonly type: ItemType;
  readonly slug: string;
  readonly json: string;
  readonly fingerprint: string;
  /** Its creation time is only the import's: an earlier stored time takes precedence. */
  readonly createdNow: boolean;
}

export function describeItem({ sourceName, sourceId, item }: StoredItem, importedAt: number): DescribedItem {
  const { type, slug, created_at } = item;
  const json = JSON.stringify(item);
  const moment = new Date(importedAt).toISOString();
  const fingerprint = fingerprintOf(item, { moment, json });
  return { sourceName, sourceId, type, slug, json, fingerprint, createdNow: created_at === moment };
}

/** The item's JSON when it replaces `previous`: keeps its creation time, unless the source has one. */
export function jsonAfter(previous: string, { json, createdNow }: DescribedItem): string {
  if (!createdNow) return json;
  // `describeItem` wrote both from an ItemFields.
  const [item, { created_at }] = [JSON.parse(json) as ItemFields, JSON.parse(previous) as ItemFields];
  return JSON.stringify({ ...item, created_at });
}

/**
 * Detects changed source rows. Ignores times equal to `moment`, the import's: otherwise importing the same file again
 * would publish a version without changes.
 */
function fingerprintOf(item: ItemFields, { moment, json }: { readonly moment: string; readonly json: string }): string {
  const text = json.includes(moment) ? JSON.stringify(withoutMoment(item, moment)) : json;
  return hash("sha256", text, "base64url").slice(0, 22);
}

function withoutMoment(item: ItemFields, moment: string): object {
  const ownTime = (time: string | null) => (time === moment ? null : time);
  return {
    ...item,
    created_at: ownTime(item.created_at),
    updated_at: ownTime(item.updated_at),
    sources: item.sources.map((source) => ({ ...source, retrieved_at: ownTime(source.retrieved_at) })),
    ...("published_at" in item && { published_at: ownTime(item.published_at) }),
  };
}
