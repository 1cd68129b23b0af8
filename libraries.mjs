/**
 * What our own files import of others, nearly two thousand small files between them, read as a few: half the processor time of a start.
 * They are put together when they are installed, or at the first start, beside it, and found by the next ones; where they are not there,
 * or were put together of something else than what is installed now, the small files are read as ever. Run as a program, this does it.
 */
import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Each in the one copy for all of our files, because many keep state in their modules. */
export const ENTRIES = [
  "@fastify/compress",
  "ajv",
  "ajv-formats",
  "commander",
  "fastify",
  "kysely",
  "pg",
  "pg-cursor",
  "pino",
  "pino-pretty",
  "prom-client",
  "typebox",
  "typebox/compile",
  "typebox/value",
  "undici",
  "ws",
];
const SELF = fileURLToPath(import.meta.url);
const MODULES = fileURLToPath(new URL("node_modules/", import.meta.url));
const INSTALLED = join(MODULES, ".package-lock.json");
const CACHE = join(MODULES, ".cache", "libraries");

export function useLibraries() {
  const folder = folderOf();
  if (folder === null) return;
  if (existsSync(folder)) serve(folder);
  else
    spawn(process.execPath, [SELF], { stdio: "ignore", detached: true })
      .on("error", () => {})
      .unref();
}

/** Named after all that is installed and how it is put together; null where nothing says what is installed. */
function folderOf() {
  if (!existsSync(INSTALLED)) return null;
  const hash = createHash("sha256").update(readFileSync(INSTALLED)).update(readFileSync(SELF));
  return join(CACHE, hash.digest("hex").slice(0, 16));
}

function serve(folder) {
  const files = new Map(ENTRIES.map((entry) => [entry, pathToFileURL(join(folder, fileOf(entry))).href]));
  registerHooks({
    resolve(name, context, next) {
      // Libraries that were left out ask each other for what they know: the small files.
      const url = context.parentURL?.includes("/node_modules/") ? undefined : files.get(name);
      return url === undefined ? next(name, context) : { url, format: "module", shortCircuit: true };
    },
  });
}

function fileOf(entry) {
  return `${entry.replaceAll("/", "-")}.js`;
}

/** Moved to its place when it is whole: whoever starts meanwhile finds all of it or nothing. */
export async function bundleLibraries() {
  const folder = folderOf();
  if (folder === null || existsSync(folder)) return;
  const { rolldown } = await import("rolldown");
  // No folder of `mkdtemp`, which is for its owner alone: whoever installs is often not who runs.
  const fresh = join(CACHE, `building-${randomUUID()}`);
  mkdirSync(fresh, { recursive: true });
  try {
    const input = Object.fromEntries(
      ENTRIES.map((entry) => [fileOf(entry).slice(0, -".js".length), `as-given:${entry}`]),
    );
    const plugins = [await exportNamesPlugin()];
    const bundle = await rolldown({ input, plugins, cwd: MODULES, platform: "node", logLevel: "silent" });
    await bundle.write({ dir: fresh, format: "esm" });
    await bundle.close();
    // Another may have been quicker.
    if (!existsSync(folder)) renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Entries that give the names Node gives: a bundler does not say what a CommonJS library exports. */
async function exportNamesPlugin() {
  const exportNames = new Map();
  for (const entry of ENTRIES) exportNames.set(entry, Object.keys(await import(entry)));
  const namesOf = (id) => exportNames.get(id.replace("as-given:", ""));
  return {
    name: "as-given",
    resolveId: (id) => (namesOf(id) !== undefined && id.startsWith("as-given:") ? id : null),
    load(id) {
      if (!id.startsWith("as-given:")) return null;
      const entry = JSON.stringify(id.slice("as-given:".length));
      const names = namesOf(id);
      if (!names.includes("module.exports")) {
        return `export * from ${entry};${names.includes("default") ? ` export { default } from ${entry};` : ""}`;
      }
      const own = names.filter((name) => name !== "default" && name !== "module.exports");
      const values = own.map((name, index) => `const value${index} = whole[${JSON.stringify(name)}];`);
      const exports = own.map((name, index) => `value${index} as ${JSON.stringify(name)}`);
      return `import whole from ${entry}; ${values.join(" ")} export { whole as default, whole as "module.exports", ${exports.join(", ")} };`;
    },
  };
}

if (process.argv[1] === SELF) await bundleLibraries();
