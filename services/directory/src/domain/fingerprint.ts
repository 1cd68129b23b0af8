/**
 * Does a source row say the same as when it was published? The fingerprint leaves out the times that were only the moment of the
 * import: otherwise the same file, read again tomorrow, would be a new version in which nothing is new.
 */
import { hash } from "node:crypto";
import type { ItemFields } from "./catalogue.ts";

/** `moment`: of the import, RFC 3339; `json`: of the item. */
export function fingerprintOf(
  item: ItemFields,
  { moment, json }: { readonly moment: string; readonly json: string },
): string {
  // Most sources tell their own times, and then the item says just what it is.
  return digest(json.includes(moment) ? JSON.stringify(withoutMoment(item, moment)) : json);
}

function withoutMoment(item: ItemFields, moment: string): object {
  const given = (time: string | null) => (time === moment ? null : time);
  return {
    ...item,
    created_at: given(item.created_at),
    updated_at: given(item.updated_at),
    sources: item.sources.map((source) => ({ ...source, retrieved_at: given(source.retrieved_at) })),
    ...("published_at" in item && { published_at: given(item.published_at) }),
  };
}

function digest(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}
