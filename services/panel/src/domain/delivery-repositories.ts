/** What must be remembered of hand-overs and of what follows them at forges, as verbs of one account. */
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
  /** Of the bytes that are kept: another hash than the name where secrets were taken out. */
  readonly storedSha256: string;
}

interface StoredDiff {
  readonly runId: string;
  readonly epoch: number;
  readonly sha256: string;
  readonly diffSha256: string;
}

export interface UploadRepository {
  /** The bundle of this epoch. */
  delivery(runId: string, epoch: number): Promise<(StoredUpload & { readonly diffSha256: string | null }) | null>;
  /** In the place of one that this epoch sent before. */
  keepDelivery(upload: Upload & { readonly epoch: number }): Promise<void>;
  /** The whole change as text, of the bundle with this hash. */
  keepDiff(diff: StoredDiff): Promise<void>;
  /** By the name that its worker gave it, which is the hash of what the worker sent. */
  artifact(runId: string, sha256: string): Promise<StoredArtifact | null>;
  keepArtifact(upload: Upload & StoredArtifact): Promise<void>;
  artifactsOf(runId: string): Promise<{ readonly count: number; readonly bytes: number }>;
}

export interface EffectRepository {
  find(runId: string, kind: EffectKind): Promise<EffectRecord | null>;
  /** Pull requests of runs of this repo with the same change. */
  withPatch(repoId: string, patchId: string): Promise<readonly EffectRecord[]>;
  /** Pull requests of runs of this repo that are open, as far as is known. */
  countOpenPrs(repoId: string): Promise<number>;
  save(effect: EffectRecord): Promise<void>;
}

export interface ContactRepository {
  find(repoId: string): Promise<ContactRecord | null>;
  save(contact: ContactRecord): Promise<void>;
}
