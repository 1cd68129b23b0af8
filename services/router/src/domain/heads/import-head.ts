/** Imports a head file, which goes through the same states as a completed training. */
import type { HeadRecord } from "./head.ts";
import type { HeadFiles, HeadStore } from "./head-store.ts";
import type { OpenedFile } from "./trainer.ts";

export interface ImportParts {
  readonly store: Pick<HeadStore, "create" | "finish">;
  readonly files: HeadFiles;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
}

export interface ImportedFile extends OpenedFile {
  readonly owner: string;
  readonly bytes: Uint8Array;
}

const LEASE_MS = 60_000;

/** Throws an Error with a message for the user if a limit is reached. */
export async function importHead(
  { store, files, now, newId }: ImportParts,
  { owner, name, made, settings, rejected, bytes }: ImportedFile,
): Promise<HeadRecord> {
  const id = newId("hed");
  const trainer = `import ${id}`;
  const at = now();
  const about = { id, owner, name, at, settings, routes: made.routes, trainer, leaseUntil: at + LEASE_MS, once: null };
  const creation = await store.create(about);
  if (creation.kind !== "created")
    throw new Error("Head limit reached: an owner has at most 100 names with 5 versions each. Delete unused heads.");
  if (creation.gone?.made != null) await files.remove({ headId: creation.gone.id, sha256: creation.gone.made.sha256 });
  await files.write({ headId: id, sha256: made.sha256 }, bytes);
  const end = { kind: "made", made, rejected, ms: 0 } as const;
  const head = await store.finish(owner, id, { end, at, trainer });
  if (head === null) throw new Error(`The head ${id} was deleted during the import.`);
  return head;
}
