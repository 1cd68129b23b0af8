/** Receives bundles and artifacts of workers. Each write is fenced by the epoch in its commit. */
import { createHash, randomUUID } from "node:crypto";
import { open, readFile, writeFile, mkdir, rm } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Transform, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ARTIFACT_BYTES_MAX, BUNDLE_BYTES_MAX } from "@triptych/contracts";
import type { Redact } from "../bus/open-bus.ts";
import type { Blobs, StoredArtifact } from "../domain/delivery-repositories.ts";
import type { Received, Uploads } from "../domain/delivery.ts";
import { isLeasedAt } from "../domain/leases.ts";
import { transitionRun } from "../domain/create-run.ts";
import type { Repositories, PanelStore } from "../domain/repositories.ts";
import type { RunRecord } from "../domain/records.ts";
import type { RunTokenScope } from "../domain/worker-tokens.ts";
import { errorOf, readBundleHeader } from "../git/bundle-header.ts";

interface Tools {
  readonly store: PanelStore;
  readonly blobs: Blobs;
  readonly folder: string;
  readonly now: () => number;
  readonly redact: Redact;
}

/** More than a run needs, less than fills a disk. */
const ARTIFACTS_MAX = 200;
const ARTIFACTS_BYTES_MAX = 64 * 1024 * 1024;

export function createUploads({ store, blobs, folder, now, redact }: Tools): Uploads {
  return {
    bundle: (scope, { sha256, source }) =>
      receive({ folder, source, most: BUNDLE_BYTES_MAX }, async (arrived): Promise<Received> => {
        if (arrived.kind !== "whole") return arrived;
        if (arrived.sha256 !== sha256) return { kind: "other_digest" };
        const { bytes, path } = arrived;
        const existing = await store.of(scope.owner).uploads.delivery(scope.runId, scope.epoch);
        if (existing?.sha256 === sha256) return { kind: "stored", sha256, bytes };
        const run = await leasedRun(store.of(scope.owner), scope);
        if (run === null) return { kind: "superseded" };
        const issue = bundleIssue(run, await beginningOf(path));
        if (issue !== null)
          return (await end(scope, issue)) ? { kind: "invalid", message: issue } : { kind: "superseded" };
        await blobs.keep(path, sha256);
        return keepDelivery(scope, { sha256, bytes });
      }),
    artifact: (scope, { sha256, source }) =>
      receive({ folder, source, most: ARTIFACT_BYTES_MAX }, async (arrived): Promise<Received> => {
        if (arrived.kind !== "whole") return arrived;
        if (arrived.sha256 !== sha256) return { kind: "other_digest" };
        const { text, found: secretCount } = await redact(scope, await readFile(arrived.path, "utf8"));
        if (secretCount === 0) {
          await blobs.keep(arrived.path, sha256);
          return keepArtifact(scope, { sha256, storedSha256: sha256, bytes: arrived.bytes });
        }
        // Overwrites the original bytes. The name stays, because the run's bus refers to it.
        const redacted = Buffer.from(text);
        await writeFile(arrived.path, redacted);
        const storedSha256 = createHash("sha256").update(redacted).digest("hex");
        await blobs.keep(arrived.path, storedSha256);
        return keepArtifact(scope, { sha256, storedSha256, bytes: redacted.length });
      }),
    async diff(owner, { id, epoch, facts }) {
      const delivery = facts.bundle === null ? null : await store.of(owner).uploads.delivery(id, epoch);
      return delivery?.diffSha256 == null ? null : blobs.read(delivery.diffSha256);
    },
    async openArtifact(owner, runId, sha256) {
      const artifact = await store.of(owner).uploads.artifact(runId, sha256);
      const body = artifact === null ? null : await blobs.read(artifact.storedSha256);
      return artifact === null || body === null ? null : { sha256: artifact.storedSha256, body };
    },
  };

  function keepDelivery(scope: RunTokenScope, upload: { sha256: string; bytes: number }): Promise<Received> {
    return store.change(scope.owner, async (repositories): Promise<Received> => {
      if ((await leasedRun(repositories, scope)) === null) return { kind: "superseded" };
      await repositories.uploads.keepDelivery({ runId: scope.runId, epoch: scope.epoch, ...upload, at: now() });
      return { kind: "stored", ...upload };
    });
  }

  function keepArtifact(scope: RunTokenScope, upload: StoredArtifact): Promise<Received> {
    const answer: Received = { kind: "stored", sha256: upload.sha256, bytes: upload.bytes };
    return store.change(scope.owner, async ({ runs, uploads }): Promise<Received> => {
      const run = await runs.find(scope.runId);
      if (run === null || run.epoch !== scope.epoch) return { kind: "superseded" };
      if ((await uploads.artifact(run.id, upload.sha256)) !== null) return answer;
      const { count, bytes } = await uploads.artifactsOf(run.id);
      if (count >= ARTIFACTS_MAX || bytes + upload.bytes > ARTIFACTS_BYTES_MAX) return { kind: "too_large" };
      await uploads.keepArtifact({ runId: run.id, ...upload, at: now() });
      return answer;
    });
  }

  /** Ends the run, because sending the bundle again cannot help. */
  function end(scope: RunTokenScope, message: string): Promise<boolean> {
    return store.change(scope.owner, async (repositories) => {
      const run = await leasedRun(repositories, scope);
      if (run === null) return false;
      await transitionRun(repositories, run, "failed", { at: now(), result: { code: "bundle_invalid", message } });
      return true;
    });
  }
}

/** The current run; null for a stale epoch. */
async function leasedRun({ runs }: Repositories, { runId, epoch }: RunTokenScope): Promise<RunRecord | null> {
  const run = await runs.find(runId);
  return run !== null && isLeasedAt(run, epoch) ? run : null;
}

function bundleIssue({ id, facts, spec }: RunRecord, beginning: Buffer): string | null {
  const header = readBundleHeader(beginning);
  if (header === null) return "The body is not a git bundle.";
  return errorOf(header, { id, baseSha: facts.base?.sha ?? null, isMerge: spec.followUp?.merge != null });
}

const BEGINNING_BYTES = 65 * 1024;

async function beginningOf(path: string): Promise<Buffer> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

export type ReceivedUpload =
  | { readonly kind: "whole"; readonly path: string; readonly sha256: string; readonly bytes: number }
  | { readonly kind: "too_large" | "broken_off" };

interface ReceiveOptions {
  readonly folder: string;
  readonly source: Readable;
  readonly most: number;
}

/** Calls `work` with the file and deletes it afterwards unless it was moved. */
export async function receive<T>(
  { folder, source, most }: ReceiveOptions,
  work: (arrived: ReceivedUpload) => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const hash = createHash("sha256");
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(bytes > most ? new TooMuch() : null, chunk);
    },
  });
  try {
    const arrived = await pipeline(source, count, createWriteStream(path, { mode: 0o600 })).then(
      (): ReceivedUpload => ({ kind: "whole", path, sha256: hash.digest("hex"), bytes }),
      (error: unknown): ReceivedUpload => {
        // A disk error is internal; an aborted upload is the sender's.
        if (error instanceof Error && "syscall" in error && error.syscall === "write") throw error;
        return { kind: error instanceof TooMuch ? "too_large" : "broken_off" };
      },
    );
    return await work(arrived);
  } finally {
    await rm(path, { force: true });
  }
}

class TooMuch extends Error {}
