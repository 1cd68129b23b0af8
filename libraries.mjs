/**
 * Two libraries of nearly a thousand small files between them, read as a few: about a third less processor time for each start. They
 * are put together at the first start, beside it, and found by the next ones; where they are not there, or are of another version,
 * the small files are read as ever. Run as a program, this puts them together.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** All that our own files import of them: each in the one copy, because both keep state in their modules. */
const ENTRIES = ["typebox", "typebox/compile", "typebox/value", "kysely"];
const SELF = fileURLToPath(import.meta.url);
const MODULES = fileURLToPath(new URL("node_modules/", import.meta.url));
const CACHE = join(MODULES, ".cache", "libraries");

export function useLibraries() {
  const folder = folderOf();
  if (existsSync(folder)) serve(folder);
  else
    spawn(process.execPath, [SELF], { stdio: "ignore", detached: true })
      .on("error", () => {})
      .unref();
}

/** Named after the versions that are installed; null where they are not beside us. */
function folderOf() {
  const names = [...new Set(ENTRIES.map((entry) => entry.split("/")[0]))];
  if (!names.every((name) => existsSync(join(MODULES, name, "package.json")))) return null;
  const versionOf = (name) => JSON.parse(readFileSync(join(MODULES, name, "package.json"), "utf8")).version;
  return join(CACHE, names.map((name) => `${name}-${versionOf(name)}`).join("_"));
}

function serve(folder) {
  const files = new Map(ENTRIES.map((entry) => [entry, pathToFileURL(join(folder, fileOf(entry))).href]));
  registerHooks({
    resolve(name, context, next) {
      const url = files.get(name);
      return url === undefined ? next(name, context) : { url, format: "module", shortCircuit: true };
    },
  });
}

function fileOf(entry) {
  return `${entry.replace("/", "-")}.js`;
}

/** Moved to its place when it is whole: whoever starts meanwhile finds all of it or nothing. */
async function putTogether() {
  const folder = folderOf();
  if (folder === null || existsSync(folder)) return;
  const { rolldown } = await import("rolldown");
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, "building-"));
  try {
    const input = Object.fromEntries(ENTRIES.map((entry) => [fileOf(entry).slice(0, -".js".length), entry]));
    const bundle = await rolldown({ input, cwd: MODULES, platform: "node", logLevel: "silent" });
    await bundle.write({ dir: fresh, format: "esm" });
    await bundle.close();
    // Another may have been quicker.
    if (!existsSync(folder)) renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

if (process.argv[1] === SELF) await putTogether();
