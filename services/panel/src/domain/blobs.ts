/** Bytes by their SHA-256: bundles and artefacts. What is kept is on disk for good before the promise resolves. */
import type { Readable } from "node:stream";

export interface Blobs {
  /** The bytes of a file that holds exactly what the hash says; the file may be moved away. */
  keep(path: string, sha256: string): Promise<void>;
  read(sha256: string): Promise<Readable | null>;
  /** With the bytes as a file that must not be changed; null where there are none. */
  withFile<T>(sha256: string, work: (path: string) => Promise<T>): Promise<T | null>;
  /** Removes what was kept before then and is needed by nobody. */
  sweep(storedBefore: number, isNeeded: (sha256: string) => Promise<boolean>): Promise<number>;
}
