/**
 * Builds a page with Vite when its sources have changed. The output folder is named by a digest of the inputs and renamed into place when
 * complete: concurrent builds are redundant but harmless, and a server never reads a partial build.
 */
import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { glob, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));

export interface Site {
  readonly name: string;
  /** The folder of the site, which contains `dist/`. */
  readonly home: string;
  /** All inputs of the bundle, from the root of the repository. A package.json pins `node_modules`. */
  readonly sources: readonly string[];
  /** Builds into the folder of its last argument. */
  readonly program: string;
  /** First argument of the program. */
  readonly argument?: string;
}

/** The folder with `index.html` and `assets/`, built if missing. Rejects with the build's output. */
export async function builtSite(site: Site): Promise<string> {
  const builds = join(site.home, "dist");
  const folder = join(builds, await fingerprint(site.sources));
  if (existsSync(folder)) return folder;
  // `mkdtemp` would create a folder that only its owner can read, but the installing user often differs from the running one.
  const fresh = join(site.home, `.building-${randomUUID()}`);
  await mkdir(fresh);
  try {
    await build(site, fresh);
    await mkdir(builds, { recursive: true });
    // Another process may have been faster: its files are identical.
    await rename(fresh, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  // A server has its build in memory.
  for (const name of await readdir(builds))
    if (name !== basename(folder)) await rm(join(builds, name), { recursive: true, force: true });
  return folder;
}

async function fingerprint(sources: readonly string[]): Promise<string> {
  const names = await Array.fromAsync(glob([...sources], { cwd: REPOSITORY }));
  const hash = createHash("sha256");
  const texts = await Promise.all(names.sort().map((name) => readFile(join(REPOSITORY, name))));
  for (const [index, text] of texts.entries()) hash.update(`${names[index]} ${text.length}\n`).update(text);
  return hash.digest("hex").slice(0, 16);
}

/** A separate process, which frees the bundler's memory at its end. */
async function build({ name, program, argument }: Site, into: string): Promise<void> {
  const words = argument === undefined ? [into] : [argument, into];
  const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${name} could not be built: ${output.trim()}`);
}
