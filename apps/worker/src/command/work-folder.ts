/**
 * The worker's folder: runs, mirrors and worker id. Locked, because a second process would return the active runs of the first one to the
 * panel.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { readJson } from "../process/json-access.ts";

export interface WorkFolder {
  readonly path: string;
  readonly runs: string;
  readonly mirrors: string;
  readonly baselines: string;
  readonly dependencies: string;
  /** The id from the panel; null before registration. */
  readonly workerId: string | null;
  keepWorkerId(id: string): Promise<void>;
}

/** Locked until the process ends. Throws if another process has the lock. */
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
    dependencies: pathOf("dependencies"),
    workerId: await readId(file),
    async keepWorkerId(id) {
      await writeFile(`${file}.part`, JSON.stringify({ worker_id: id }), { mode: 0o600 });
      await rename(`${file}.part`, file);
    },
  };
}

/** Locks by an abstract socket, which the kernel frees however the process ends. Linux only. */
async function lock(path: string): Promise<void> {
  if (process.platform !== "linux") return;
  const name = `\0triptych-worker-${createHash("sha256").update(path).digest("hex").slice(0, 40)}`;
  await new Promise<void>((resolve, reject) => {
    const holder = createServer((socket) => socket.destroy());
    holder.once("error", () =>
      reject(new Error(`Another worker uses ${path}. Set a separate folder with --work-dir.`)),
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

/** No run is active yet, so none borrows from a mirror. A removed mirror is cloned again when needed. */
async function dropOldMirrors(mirrors: string): Promise<void> {
  for (const name of await readdir(mirrors).catch(() => [])) {
    const used = await stat(join(mirrors, name, "FETCH_HEAD")).catch(() => null);
    if (used === null || Date.now() - used.mtimeMs > MIRROR_DAYS * DAY_MS)
      await rm(join(mirrors, name), { recursive: true, force: true });
  }
}
