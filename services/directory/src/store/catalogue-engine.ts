/** The interface of the two engines: prepare a version and serve it. One is selected at startup. */
import type { Catalogue } from "../domain/catalogue.ts";
import type { PublishedVersion } from "../domain/published-versions.ts";
import type { CachedItems } from "../domain/index/item-store.ts";
import type { SnapshotIndex } from "../domain/index/snapshot.ts";
import type { Prepared } from "../domain/publish.ts";

export interface ServingEngine {
  readonly name: "memory" | "postgres";
  prepare(staged: number): Promise<Prepared>;
  /** Opens a published version; first rebuilds missing or damaged data from the rows. */
  open(version: PublishedVersion): Promise<OpenCatalogue>;
  cleanUp(served: PublishedVersion): Promise<void>;
  /** Deletes data that was found damaged while being served; the next `open` rebuilds it. */
  distrust(version: PublishedVersion): Promise<void>;
}

/** An index in shared memory, its snapshot file, and the items cached from it. */
export interface SharedIndex {
  readonly path: string;
  readonly index: SnapshotIndex;
  readonly cachedItems: CachedItems | null;
}

export interface OpenCatalogue {
  readonly catalogue: Catalogue;
  readonly about: string;
  /** What other threads need to open the catalogue on the same index; null if nothing is shared. */
  readonly shared: SharedIndex | null;
  /** Must not be called while readers exist. */
  close(): Promise<void>;
}

/** The version exceeds the operator's limits. The message says what to do. */
export class IndexTooLarge extends Error {
  override readonly name = "IndexTooLarge";

  constructor(indexBytes: number, most: number) {
    super(
      `The index needs ${megabytes(indexBytes)} of memory; DIRECTORY_INDEX_BYTES allows ${megabytes(most)}. ` +
        "Raise DIRECTORY_INDEX_BYTES, or serve from PostgreSQL with DIRECTORY_ENGINE=postgres (requires DATABASE_URL and PostGIS).",
    );
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
