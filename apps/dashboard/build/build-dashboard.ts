/**
 * The files of the dashboard, built when their sources changed. A build stands in a folder that is named after what it was made from and
 * is moved there when it is whole: two processes that start at once do the work twice and do no harm, and who serves one is never given
 * half of another.
 */
import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { glob, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const HOME = fileURLToPath(new URL("..", import.meta.url));
const REPOSITORY = join(HOME, "../..");
const BUILDS = join(HOME, "dist");
/** Whatever ends up in the bundle. What stands in `node_modules` is pinned by the package.json that is among them. */
const SOURCES = [
  "apps/dashboard/{index.html,package.json,vite.config.ts}",
  "apps/dashboard/{src,build}/**/*.*",
  "packages/contracts/src/panel/limits.ts",
  "packages/client/src/*.ts",
  "packages/server/src/pages/browser/tokens.css",
];

/** The folder that holds `index.html` and `assets/`, built first where it is missing. Rejects with what the build said. */
export async function builtDashboard(): Promise<string> {
  const folder = join(BUILDS, await fingerprint());
  if (existsSync(folder)) return folder;
  // No folder of `mkdtemp`, which is for its owner alone: whoever installs is often not who runs.
  const fresh = join(HOME, `.building-${randomUUID()}`);
  await mkdir(fresh);
  try {
    await build(fresh);
    await moveTo(folder, fresh);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  await removeOthers(folder);
  return folder;
}

async function fingerprint(): Promise<string> {
  const names = await Array.fromAsync(glob([...SOURCES], { cwd: REPOSITORY }));
  const hash = createHash("sha256");
  const texts = await Promise.all(names.sort().map((name) => readFile(join(REPOSITORY, name))));
  for (const [index, text] of texts.entries()) hash.update(`${names[index]} ${text.length}\n`).update(text);
  return hash.digest("hex").slice(0, 16);
}

/** A process of its own: the bundler's memory is given back when it is done. */
async function build(into: string): Promise<void> {
  const program = fileURLToPath(new URL("main.ts", import.meta.url));
  const child = spawn(process.execPath, [program, into], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the dashboard could not be built: ${output.trim()}`);
}

/** Another process may have been quicker: its files are the same. */
async function moveTo(folder: string, fresh: string): Promise<void> {
  await mkdir(BUILDS, { recursive: true });
  await rename(fresh, folder).catch((error: unknown) => {
    if (!existsSync(folder)) throw error;
  });
}

/** Who serves one holds it in memory. */
async function removeOthers(folder: string): Promise<void> {
  for (const name of await readdir(BUILDS))
    if (name !== basename(folder)) await rm(join(BUILDS, name), { recursive: true, force: true });
}
