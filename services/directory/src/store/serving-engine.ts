/** What the two engines have in common: making a version ready to be served, and serving it. One is picked at boot. */
import type { Catalogue } from "../domain/catalogue.ts";
import type { Edition } from "../domain/editions.ts";
import type { KeptItems, SnapshotIndex } from "../domain/index/index.ts";
import type { Prepared } from "../domain/publish.ts";

export interface ServingEngine {
  readonly name: "memory" | "postgres";
  /** Prepares a staged version for all processes that will serve it. */
  prepare(staged: number): Promise<Prepared>;
  /** Opens a published version; makes what is missing or damaged from the rows first. */
  open(edition: Edition): Promise<OpenCatalogue>;
  /** Removes what belongs to versions that nobody opens any more. */
  tidy(served: Edition): Promise<void>;
  /** Throws away what `open` found, because it turned out damaged while it was served: the next `open` makes it anew. */
  distrust(edition: Edition): Promise<void>;
}

/** An index in shared memory, the snapshot file that it is the index of, and the items that were read from it. */
export interface SharedEdition {
  readonly path: string;
  readonly index: SnapshotIndex;
  readonly kept: KeptItems | null;
}

export interface OpenCatalogue {
  readonly catalogue: Catalogue;
  /** What the engine says about itself for logs: `3f9c…, 812 items, 0.4 MB of index`. */
  readonly about: string;
  /** What other threads need to open the same catalogue without another index; null where there is nothing to share. */
  readonly shared: SharedEdition | null;
  /** No reader may be left. */
  close(): Promise<void>;
}

/** The version cannot be served under the bounds that the operator set. The message says what to do. */
export class IndexTooLarge extends Error {
  override readonly name = "IndexTooLarge";

  constructor(indexBytes: number, most: number) {
    super(
      `The index of the data takes ${megabytes(indexBytes)} of memory, and DIRECTORY_INDEX_BYTES allows ${megabytes(most)}. ` +
        "Raise DIRECTORY_INDEX_BYTES, or serve from PostgreSQL with DIRECTORY_ENGINE=postgres (needs DATABASE_URL and PostGIS).",
    );
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
