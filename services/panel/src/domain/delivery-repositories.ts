import type { ContactRecord } from "./reachability-checks.ts";
import type { EffectKind, EffectRecord } from "./effects.ts";

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
  /** By its name, the hash of the bytes that the worker sent. */
  artifact(runId: string, sha256: string): Promise<StoredArtifact | null>;
  keepArtifact(upload: Upload & StoredArtifact): Promise<void>;
  artifactsOf(runId: string): Promise<{ readonly count: number; readonly bytes: number }>;
}

export interface EffectRepository {
  find(runId: string, kind: EffectKind): Promise<EffectRecord | null>;
  /** Pull requests of this repo's runs with the same change. */
  withPatch(repoId: string, patchId: string): Promise<readonly EffectRecord[]>;
  /** Pull requests of this repo's runs that are open as far as known. */
  countOpenPrs(repoId: string): Promise<number>;
  save(effect: EffectRecord): Promise<void>;
}

export interface ContactRepository {
  find(repoId: string): Promise<ContactRecord | null>;
  save(contact: ContactRecord): Promise<void>;
}
