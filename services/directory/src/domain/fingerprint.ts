/**
 * Detects changed source rows. The fingerprint ignores times equal to the import's: otherwise importing the same file
 * again would publish a version without changes.
 */
import { hash } from "node:crypto";
import type { ItemFields } from "./catalogue.ts";

/**
 * @param moment import time, RFC 3339.
 * @param json the item's JSON.
 */
export function fingerprintOf(
  item: ItemFields,
  { moment, json }: { readonly moment: string; readonly json: string },
): string {
  return digest(json.includes(moment) ? JSON.stringify(withoutMoment(item, moment)) : json);
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

function digest(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}
