/** Tables of the directory. Version numbers are integers, times are epoch milliseconds, `body` is the JSON of ItemFields. */
import type { ApiKeyTables } from "@triptych/api-keys";
import type { ItemType } from "@triptych/contracts";
import { createServiceStore, sql, type MigrationSource, type SqlBool } from "@triptych/storage";
import { meteringMigrations, meteringNotCopied, type MeteringTables } from "@triptych/usage-metering";

export interface DirectoryTables {
  version: VersionRow;
  item: ItemRow;
  tag_label: TagLabelRow;
  retired_slug: RetiredSlugRow;
  staging: StagingRow;
  snapshot_part: SnapshotPartRow;
  outlines: OutlinesRow;
  synonyms: SynonymsRow;
}

export interface VersionRow {
  number: number;
  id: string;
  content_hash: string;
  published_at: number;
  items: number;
  cause: string;
}

export interface ItemRow {
  type: ItemType;
  slug: string;
  source_name: string;
  source_id: string;
  body: string;
  fingerprint: string;
  from_version: number;
  to_version: number | null;
}

interface TagLabelRow {
  slug: string;
  label: string;
  uses: number;
  from_version: number;
  to_version: number | null;
}

interface RetiredSlugRow {
  source_name: string;
  source_id: string;
  type: ItemType;
  slug: string;
}

interface StagingRow {
  id: 1;
  attempt: number;
  number: number | null;
  started_at: number;
}

interface SnapshotPartRow {
  version_id: string;
  part: number;
  bytes: Uint8Array;
}

interface OutlinesRow {
  id: 1;
  geojson: string;
  installed_at: number;
}

interface SynonymsRow {
  id: 1;
  csv: string;
  imported_at: number;
}

export type StoreTables = DirectoryTables & MeteringTables & ApiKeyTables;

export const DIRECTORY_SCHEMA = "directory";
export const DIRECTORY_MIGRATIONS: readonly MigrationSource[] = [
  { component: "directory", directory: new URL("../../migrations/", import.meta.url) },
  meteringMigrations,
];

export const directoryStore = createServiceStore<StoreTables>({
  name: DIRECTORY_SCHEMA,
  migrations: DIRECTORY_MIGRATIONS,
  // Rebuilt by the service: snapshots from items, admissions from rows.
  transient: ["snapshot_part", ...meteringNotCopied],
  isExclusive: true,
});

export function visibleIn(version: number) {
  return sql<SqlBool>`from_version <= ${version} and (to_version is null or to_version > ${version})`;
}
