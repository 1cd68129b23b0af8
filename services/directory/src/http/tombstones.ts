/**
 * Tombstones of an export with `since`: removed items, and changed ones that no longer match the filters. A tombstone
 * without an item at the client is harmless; a missing tombstone would leave a stale item.
 */
import { NO_FILTERS, typesOf, type Catalogue, type NormalQuery } from "../domain/catalogue.ts";
import type { ChangeLog } from "../domain/changes.ts";
import type { Address } from "../domain/published-versions.ts";

export interface Tombstone extends Address {
  readonly deleted_at: string;
}

export async function* tombstones(
  catalogue: Catalogue,
  query: NormalQuery,
  changes: ChangeLog,
): AsyncGenerator<Tombstone> {
  if (query.changedAfter === null) return;
  const { number, publishedAt } = catalogue.version();
  const types = typesOf(query);
  for await (const { type, slug, deletedAt } of changes.removed(query.changedAfter, number))
    if (types === null || types.includes(type)) yield { type, slug, deleted_at: new Date(deletedAt).toISOString() };
  const deleted_at = new Date(publishedAt).toISOString();
  for await (const address of noLongerMatching(catalogue, query)) yield { ...address, deleted_at };
}

/** Merges two streams in title order: the matches are a part of all changed items. */
async function* noLongerMatching(catalogue: Catalogue, query: NormalQuery): AsyncGenerator<Address> {
  const { types, excludedTypes, changedAfter } = query;
  const whole = { offset: 0, limit: Number.MAX_SAFE_INTEGER, sort: "title", variant: "summary" } as const;
  const every: NormalQuery = { ...NO_FILTERS, ...whole, types, excludedTypes, changedAfter };
  const matching: NormalQuery = { ...query, ...whole };
  const [{ total: changed }, { total: matches }] = await Promise.all([
    catalogue.search({ ...every, limit: 0 }),
    catalogue.search({ ...matching, limit: 0 }),
  ]);
  if (changed === matches) return;
  const stream = catalogue.stream(matching)[Symbol.asyncIterator]();
  let match = await stream.next();
  for await (const hit of catalogue.stream(every)) {
    const address = addressOf(hit.json);
    if (match.done !== true && isEqual(addressOf(match.value.json), address)) match = await stream.next();
    else yield address;
  }
}

function addressOf(json: Uint8Array): Address {
  // The engines wrote it: an item's JSON starts with its type and slug.
  const { type, slug } = JSON.parse(Buffer.from(json).toString()) as Address;
  return { type, slug };
}

function isEqual(a: Address, b: Address): boolean {
  return a.type === b.type && a.slug === b.slug;
}
