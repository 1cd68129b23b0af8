/** Publishes items to the PostgreSQL engine, without the importer. */
import assert from "node:assert/strict";
import type { Database } from "@triptych/storage";
import {
  NO_FILTERS,
  type Catalogue,
  type NormalQuery,
  type StoredItem,
  type VersionedItem,
} from "../../src/domain/catalogue.ts";
import { createDirectoryStore, type DirectoryStore } from "../../src/store/directory-store.ts";
import { DIRECTORY_MIGRATIONS, type StoreTables } from "../../src/store/tables.ts";
import { TAG_LABELS } from "./random-items.ts";

export const POSTGRES = { migrations: DIRECTORY_MIGRATIONS, engines: ["PostgreSQL" as const], postgis: true };

export const EVERYTHING: NormalQuery = {
  ...NO_FILTERS,
  sort: "title",
  offset: 0,
  limit: 100,
  variant: "all",
};

interface StoreAddress {
  readonly url: string;
  readonly schema: string;
}

export function storeOf(
  database: Database<StoreTables>,
  { url, schema }: StoreAddress,
  events: string[] = [],
): DirectoryStore {
  return createDirectoryStore({
    database,
    location: { url, schema },
    dataFolder: "/nowhere",
    engine: "postgres",
    indexBytes: 0,
    report: ({ what }) => events.push(what),
    now: () => 0,
  });
}

/** Each version has items, because a publication without changes makes none. */
export function consecutive(items: readonly VersionedItem[]): VersionedItem[] {
  const versions = [...new Set(items.map(({ fromVersion }) => fromVersion))].sort((a, b) => a - b);
  return items.map((item) => ({ ...item, fromVersion: versions.indexOf(item.fromVersion) + 1 }));
}

export async function publishItems(store: DirectoryStore, items: readonly IndexedItems[]): Promise<void> {
  const last = Math.max(1, ...items.map(({ fromVersion = 1 }) => fromVersion));
  for (let version = 1; version <= last; version++)
    await store.publish({
      cause: "test",
      async apply(staging) {
        await staging.upsert(
          items.filter(({ fromVersion = 1 }) => fromVersion === version),
          0,
        );
        await staging.upsertLabels(TAG_LABELS.map((label) => ({ ...label, uses: 1 })));
      },
    });
}

type IndexedItems = StoredItem & Partial<VersionedItem>;

export async function publishedCatalogue(
  database: Database<StoreTables>,
  location: StoreAddress,
  items: readonly IndexedItems[],
): Promise<Catalogue> {
  const store = storeOf(database, location);
  await publishItems(store, items);
  const version = await store.versions.published();
  assert.ok(version !== null);
  return (await store.engine.open(version)).catalogue;
}
