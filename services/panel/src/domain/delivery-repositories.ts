import type { Readable } from "node:stream";
import type { ContactRecord } from "./reachability-checks.ts";

export interface Upload {
  readonly runId: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly at: number;
}

type StoredUpload = Pick<Upload, "sha256" | "bytes">;

export interface StoredArtifact extends StoredUpload {
  /** Hash of the stored bytes; it differs from the name where secrets were redacted. */
  readonly storedSha256: string;
}

interface StoredDiff {
  readonly runId: string;
  readonly epoch: number;
  readonly sha256: string;
  readonly diffSha256: string;
}

export interface UploadRepository {
  delivery(runId: string, epoch: number): Promise<(StoredUpload & { readonly diffSha256: string | null }) | null>;
  keepDelivery(upload: Upload & { readonly epoch: number }): Promise<void>;
  keepDiff(diff: StoredDiff): Promise<void>;
  /** Its name is the hash of the bytes that the worker sent. */
  artifact(runId: string, sha256: string): Promise<StoredArtifact | null>;
  keepArtifact(upload: Upload & StoredArtifact): Promise<void>;
  artifactsOf(runId: string): Promise<{ readonly count: number; readonly bytes: number }>;
}

export interface StatementRepository {
  /** The envelope as signed; null before the push. */
  find(runId: string): Promise<string | null>;
  /** A statement never changes: a second one of the same run is ignored. */
  add(statement: { readonly runId: string; readonly envelope: string; readonly at: number }): Promise<void>;
}

export interface ContactRepository {
  find(repoId: string): Promise<ContactRecord | null>;
  save(contact: ContactRecord): Promise<void>;
}

/** Bundles and artifacts by SHA-256. Writes are durable before the promise resolves. */
export interface Blobs {
  /** Stores a file whose content matches the hash; may move the file away. */
  keep(path: string, sha256: string): Promise<void>;
  read(sha256: string): Promise<Readable | null>;
  /** Calls `work` with a read-only file of the bytes; null if the blob is missing. */
  withFile<T>(sha256: string, work: (path: string) => Promise<T>): Promise<T | null>;
  /** Removes blobs that were stored before this time and are not needed. */
  sweep(storedBefore: number, isNeeded: (sha256: string) => Promise<boolean>): Promise<number>;
}
