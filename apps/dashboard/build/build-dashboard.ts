/**
 * Builds the dashboard when its sources have changed. The output folder is named by a digest of the inputs and renamed into place when
 * complete: concurrent builds are redundant but harmless, and a server never reads a partial build.
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
/** All inputs of the bundle. The included package.json pins `node_modules`. */
const SOURCES = [
  "apps/dashboard/{index.html,package.json,vite.config.ts}",
  "apps/dashboard/{src,build}/**/*.*",
  "packages/contracts/src/panel/limits.ts",
  "packages/client/src/*.ts",
  "packages/util/src/*.ts",
  "packages/server/src/pages/browser/tokens.css",
];

/** The folder with `index.html` and `assets/`, built if missing. Rejects with the build's output. */
export async function builtDashboard(): Promise<string> {
  const folder = join(BUILDS, await fingerprint());
  if (existsSync(folder)) return folder;
  // Not `mkdtemp`, whose folder only its owner can read: the installing user often differs from the running one.
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

/** A separate process, which frees the bundler's memory at its end. */
async function build(into: string): Promise<void> {
  const program = fileURLToPath(new URL("main.ts", import.meta.url));
  const child = spawn(process.execPath, [program, into], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the dashboard could not be built: ${output.trim()}`);
}

/** Another process may have been faster: its files are identical. */
async function moveTo(folder: string, fresh: string): Promise<void> {
  await mkdir(BUILDS, { recursive: true });
  await rename(fresh, folder).catch((error: unknown) => {
    if (!existsSync(folder)) throw error;
  });
}

/** A server has its build in memory. */
async function removeOthers(folder: string): Promise<void> {
  for (const name of await readdir(BUILDS))
    if (name !== basename(folder)) await rm(join(BUILDS, name), { recursive: true, force: true });
}
