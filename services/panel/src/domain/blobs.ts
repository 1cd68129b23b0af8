/** Blobs (bundles and artefacts) by SHA-256. Writes are durable before the promise resolves. */
import type { Readable } from "node:stream";

export interface Blobs {
  /** Stores a file whose content matches the hash; may move the file away. */
  keep(path: string, sha256: string): Promise<void>;
  read(sha256: string): Promise<Readable | null>;
  /** Passes a read-only file with the bytes; null where the blob is missing. */
  withFile<T>(sha256: string, work: (path: string) => Promise<T>): Promise<T | null>;
  /** Removes blobs that were stored before this time and are not needed. */
  sweep(storedBefore: number, isNeeded: (sha256: string) => Promise<boolean>): Promise<number>;
}
