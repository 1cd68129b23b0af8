/**
 * Packs the worker into one file: a tar archive of the compiled worker and its libraries. The panel serves it. `npm run build`
 * puts it into the command line's package; in a clone the panel runs this module at the first download.
 *
 * The archive has folders instead of one bundled module, because a sandbox mounts single files of the worker. Equal
 * sources give equal bytes, so that several nodes of a panel serve the same SHA-256.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { create } from "tar";
import { writePublishedTree } from "./published-tree.ts";
import { readWorkspaces, ROOT, type Workspaces } from "./workspaces.ts";

interface Locked {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, Locked>>;

const WORKER = "apps/worker";
/** Files of an installed library that running it does not need. */
const NOT_NEEDED = /\.(?:d\.[cm]?ts|map|md|markdown|flow)$/;
const EPOCH = new Date(0);

/** Compiles without type checking, which `npm run check` does. */
export async function compile(to: string, args: readonly string[] = []): Promise<void> {
  const program = join(ROOT, "node_modules/.bin/tsc");
  const child = spawn(program, ["-p", "release/tsconfig.json", "--outDir", to, ...args], {
    cwd: ROOT,
    stdio: "inherit",
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`tsc failed with ${code}.`);
}

/** Writes the archive to `file`. */
export async function makeWorkerPack(workspaces: Workspaces, compiled: string, file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "worker-pack-"));
  try {
    const { libraries, folders } = await neededBy(WORKER);
    await writePublishedTree({ workspaces, compiled, to: folder, only: folders });
    await cp(join(ROOT, "release/published/worker"), folder, { recursive: true });
    for (const path of libraries)
      await cp(join(ROOT, path), join(folder, path), { recursive: true, filter: (name) => isProgram(path, name) });
    for (const name of ["LICENSE", "apps/worker/README.md"])
      await cp(join(ROOT, name), join(folder, posix.basename(name)));
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const names = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    await mkdir(dirname(file), { recursive: true });
    // Readers never see a partial file.
    const part = `${file}.${process.pid}.part`;
    const paths = names.map((name) => name.slice(folder.length + 1)).sort();
    await create({ cwd: folder, file: part, gzip: { level: 9 }, portable: true, mtime: EPOCH }, paths);
    await rename(part, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Nested libraries have entries of their own in the lock file. */
function isProgram(library: string, name: string): boolean {
  const below = name.slice(join(ROOT, library).length);
  return !below.startsWith("/node_modules") && !NOT_NEEDED.test(name);
}

/** Installed libraries and folders of this repository that a workspace needs at run time, from the lock file. */
async function neededBy(workspace: string) {
  const { packages }: { readonly packages: Lock } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"));
  const found = new Set([workspace]);
  for (const path of found)
    for (const name of Object.keys(packages[path].dependencies ?? {})) found.add(installedPath(packages, path, name));
  const all = [...found].sort();
  return {
    libraries: all.filter((path) => path.includes("node_modules/")),
    folders: all.filter((path) => !path.includes("node_modules/")),
  };
}

/** Resolves it like Node: from the importer's folder upwards. */
function installedPath(lock: Lock, from: string, name: string): string {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const path = posix.join(folder, "node_modules", name);
    const entry = lock[path];
    if (entry !== undefined) return entry.link === true ? (entry.resolved ?? path) : path;
    if (folder === ".") throw new Error(`package-lock.json has no ${name}, which ${from} needs.`);
  }
}

if (process.argv[1] === import.meta.filename) {
  const compiled = await mkdtemp(join(tmpdir(), "worker-compiled-"));
  try {
    await compile(compiled, ["--noCheck", "--declaration", "false"]);
    await makeWorkerPack(await readWorkspaces(), compiled, process.argv[2]);
  } finally {
    await rm(compiled, { recursive: true, force: true });
  }
}
