/**
 * Does a source row say the same as when it was published? The fingerprint leaves out the times that were only the moment of the
 * import: otherwise the same file, read again tomorrow, would be a new version in which nothing is new.
 */
import { hash } from "node:crypto";
import type { ItemFields } from "./catalogue.ts";

/** `json`: of the item, where the caller has it already. */
export function fingerprintOf(item: ItemFields, importedAt: number, json = JSON.stringify(item)): string {
  const moment = new Date(importedAt).toISOString();
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

/** The item as it replaces `previous`: it exists since `previous` did, unless its source says otherwise. */
export function succeeding(item: ItemFields, previous: Pick<ItemFields, "created_at">, importedAt: number): ItemFields {
  if (item.created_at !== new Date(importedAt).toISOString()) return item;
  return { ...item, created_at: previous.created_at };
}
