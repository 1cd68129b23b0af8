/**
 * The worker as one file, which the panel serves. In a clone it is built at the first download and cached by a digest
 * of its sources. The published package contains it.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache/worker-pack");
const SOURCES = ["package-lock.json", "release/**/*.*", "apps/worker/src/**/*.*", "packages/*/src/**/*.ts"];

/** Path of the archive. Rejects if the development dependencies are missing (`npm ci --omit=dev`). */
export async function workerPack(): Promise<string> {
  const file = join(CACHE, await fingerprint(), "triptych-worker.tgz");
  if (existsSync(file)) return file;
  const program = join(ROOT, "release/worker-pack.ts");
  const child = spawn(process.execPath, [program, file], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the worker could not be packed: ${output.trim()}`);
  return file;
}

async function fingerprint(): Promise<string> {
  const names = await Array.fromAsync(glob(SOURCES, { cwd: ROOT }));
  const hash = createHash("sha256");
  const texts = await Promise.all(names.sort().map((name) => readFile(join(ROOT, name))));
  for (const [index, text] of texts.entries()) hash.update(`${names[index]} ${text.length}\n`).update(text);
  return hash.digest("hex").slice(0, 16);
}
