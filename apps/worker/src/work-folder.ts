/**
 * The folder that a worker lives in: its runs, its mirrors, and who it is to the panel. One process at a time: the next one gives back
 * what the one before left, and would give back what a living one works on.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { readJson } from "./read-json.ts";

export interface WorkFolder {
  readonly path: string;
  readonly runs: string;
  readonly mirrors: string;
  readonly baselines: string;
  /** As the panel named this worker; null before it has. */
  readonly workerId: string | null;
  keepWorkerId(id: string): Promise<void>;
}

/** Held until the end of the process. Throws when another one has it. */
export async function openWorkFolder(folder: string): Promise<WorkFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = await realpath(folder);
  await lock(path);
  const pathOf = (name: string) => join(path, name);
  const mirrors = pathOf("mirrors");
  await dropOldMirrors(mirrors);
  const file = pathOf("worker.json");
  return {
    path,
    runs: pathOf("runs"),
    mirrors,
    baselines: pathOf("baselines"),
    workerId: await readId(file),
    async keepWorkerId(id) {
      await writeFile(`${file}.part`, JSON.stringify({ worker_id: id }), { mode: 0o600 });
      await rename(`${file}.part`, file);
    },
  };
}

/** A name in the kernel, not in the disk: it is free again the moment its holder is gone, however it ended. Linux only. */
async function lock(path: string): Promise<void> {
  if (process.platform !== "linux") return;
  const name = `\0triptych-worker-${createHash("sha256").update(path).digest("hex").slice(0, 40)}`;
  await new Promise<void>((resolve, reject) => {
    const holder = createServer((socket) => socket.destroy());
    holder.once("error", () =>
      reject(new Error(`Another worker uses ${path}. Give this one a folder of its own: --work-dir.`)),
    );
    holder.listen({ path: name }, resolve);
    holder.unref();
  });
}

async function readId(file: string): Promise<string | null> {
  const stored = await readJson(file);
  const id = typeof stored === "object" && stored !== null && "worker_id" in stored ? stored.worker_id : null;
  return typeof id === "string" ? id : null;
}

const MIRROR_DAYS = 30;
const DAY_MS = 86_400_000;

/** Nothing runs yet, so nobody borrows from them; one that is missed is cloned again. */
async function dropOldMirrors(mirrors: string): Promise<void> {
  for (const name of await readdir(mirrors).catch(() => [])) {
    const used = await stat(join(mirrors, name, "FETCH_HEAD")).catch(() => null);
    if (used === null || Date.now() - used.mtimeMs > MIRROR_DAYS * DAY_MS)
      await rm(join(mirrors, name), { recursive: true, force: true });
  }
}
