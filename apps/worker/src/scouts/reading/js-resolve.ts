/**
 * Resolves a JavaScript or TypeScript specifier to repository files: relative paths, local packages, path aliases, and build output whose
 * source is in the tree.
 */
import { posix } from "node:path";
import { objectOf, parseObject, textOf, type JsonObject } from "./json.ts";
import type { Tree } from "./tree.ts";

export interface JsResolver {
  /** Empty for an external package, and where no file matches. */
  resolve(from: string, specifier: string): readonly string[];
}

interface Package {
  readonly folder: string;
  readonly manifest: JsonObject;
}

const ENDINGS = ["", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".json"];
const INDEXES = ENDINGS.slice(1).map((ending) => `/index${ending}`);
const OUTPUT_FOLDERS = new Set(["dist", "build", "lib", "out", "es", "esm", "cjs", "module", "umd", "output"]);
const SOURCE_FOLDERS = ["src", "source", "lib", ""];
const USUAL_ENTRIES = ["src/index", "source/index", "lib/index", "index", "src/main", "main", "mod"];
const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

export async function createJsResolver(tree: Tree): Promise<JsResolver> {
  const packages = await readPackages(tree);
  const byName = new Map(packages.map((entry) => [textOf(entry.manifest["name"]) ?? "", entry]));
  const external = new Set(
    packages.flatMap(({ manifest }) => DEPENDENCIES.flatMap((section) => Object.keys(objectOf(manifest[section])))),
  );
  const byLastName = groupByLastName(tree);

  return {
    resolve(from, specifier) {
      if (specifier.startsWith(".")) return resolvePath(posix.join(posix.dirname(from), specifier));
      if (specifier.startsWith("#")) return resolvePrivate(from, specifier);
      const [name, rest] = splitName(specifier);
      const own = byName.get(name);
      if (own !== undefined) return resolveInPackage(own, rest);
      return external.has(name) || /^[a-z]+:/.test(specifier) ? [] : resolveAlias(byLastName, specifier, rest);
    },
  };

  function resolvePath(path: string): readonly string[] {
    const clean = posix.normalize(path).replace(/\/+$/, "");
    if (clean === ".." || clean.startsWith("../")) return [];
    const folder = clean === "." ? "" : clean;
    const file = fileOf(tree, folder);
    if (file !== null) return [file];
    const own = packages.find((entry) => entry.folder === folder);
    if (own !== undefined) return entriesOf(own);
    return sourcesOfOutput(folder);
  }

  /** `dist/parse.js` of `src/parse.ts`; without a matching source, it may be built from the whole package. */
  function sourcesOfOutput(path: string): readonly string[] {
    const own = packageOf(packages, path);
    const [output = "", ...rest] = path.slice(own.folder === "" ? 0 : own.folder.length + 1).split("/");
    if (!OUTPUT_FOLDERS.has(output)) return [];
    const tails = rest.map((_, start) => rest.slice(start).join("/"));
    for (const tail of tails)
      for (const folder of SOURCE_FOLDERS) {
        const file = fileOf(tree, posix.join(own.folder, folder, tail));
        if (file !== null) return [file];
      }
    return usualEntries(own.folder);
  }

  function entriesOf({ folder, manifest }: Package): readonly string[] {
    const { exports } = manifest;
    const named = [
      ...textsOf(objectOf(exports)["."] ?? exports),
      ...["main", "module", "source", "browser"].flatMap((field) => textOf(manifest[field]) ?? []),
    ];
    const files = [...new Set(named.flatMap((path) => fileIn(folder, path)))];
    return files.length > 0 ? files : usualEntries(folder);
  }

  function fileIn(folder: string, path: string): readonly string[] {
    const joined = posix.join(folder, path);
    const file = fileOf(tree, joined);
    return file === null ? sourcesOfOutput(joined) : [file];
  }

  function usualEntries(folder: string): readonly string[] {
    return USUAL_ENTRIES.flatMap((path) => fileOf(tree, posix.join(folder, path)) ?? []).slice(0, 1);
  }

  function resolveInPackage(own: Package, rest: string): readonly string[] {
    if (rest === "") return entriesOf(own);
    const found = matchMap(objectOf(own.manifest["exports"]), `./${rest}`).flatMap((path) => fileIn(own.folder, path));
    if (found.length > 0) return found;
    return ["", ...SOURCE_FOLDERS]
      .flatMap((folder) => fileOf(tree, posix.join(own.folder, folder, rest)) ?? [])
      .slice(0, 1);
  }

  function resolvePrivate(from: string, specifier: string): readonly string[] {
    const own = packageOf(packages, from);
    return matchMap(objectOf(own.manifest["imports"]), specifier).flatMap((path) => fileIn(own.folder, path));
  }
}

/** `@/parse` and `~/parse`, or a path from a `baseUrl`: the alias target is unknown. */
function resolveAlias(
  byLastName: ReadonlyMap<string, readonly string[]>,
  specifier: string,
  rest: string,
): readonly string[] {
  if (!specifier.includes("/")) return [];
  const ends = [specifier, rest].filter((end) => end !== "").map(stemOf);
  const candidates = byLastName.get(posix.basename(stemOf(specifier))) ?? [];
  return candidates.filter((path) =>
    ends.some((end) => [path, posix.dirname(path)].some((candidate) => `/${stemOf(candidate)}`.endsWith(`/${end}`))),
  );
}

function packageOf(packages: readonly Package[], path: string): Package {
  const around = packages.filter(({ folder }) => folder === "" || path.startsWith(`${folder}/`));
  return around.toSorted((one, other) => other.folder.length - one.folder.length)[0] ?? { folder: "", manifest: {} };
}

async function readPackages(tree: Tree): Promise<readonly Package[]> {
  const found: Package[] = [];
  for (const path of tree.files.keys()) {
    if (posix.basename(path) !== "package.json") continue;
    const manifest = parseObject(await tree.read(path));
    if (manifest !== null) found.push({ folder: path === "package.json" ? "" : posix.dirname(path), manifest });
  }
  return found;
}

function groupByLastName({ files }: Tree): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const path of files.keys()) {
    if (!/\.(?:[cm]?[jt]sx?|vue|svelte)$/.test(path)) continue;
    const stem = stemOf(path);
    const isIndex = posix.basename(stem) === "index";
    for (const name of new Set([posix.basename(stem), posix.basename(isIndex ? posix.dirname(stem) : stem)])) {
      const paths = found.get(name) ?? [];
      paths.push(path);
      found.set(name, paths);
    }
  }
  return found;
}

/** With the source extension: `./a.js` may mean `a.ts`. */
function fileOf({ files }: Tree, path: string): string | null {
  const [stem, ending = ""] = /^(.*)(\.[cm]?jsx?)$/.exec(path)?.slice(1) ?? [path];
  const typed = ending === "" ? [] : [ending.replace("js", "ts"), ".tsx", ".ts"].map((suffix) => stem + suffix);
  const all = [
    ...ENDINGS.map((suffix) => path + suffix),
    ...typed,
    ...INDEXES.map((suffix) => (path + suffix).replace(/^\//, "")),
  ];
  return all.find((candidate) => files.has(candidate)) ?? null;
}

function splitName(specifier: string): readonly [name: string, rest: string] {
  const parts = specifier.split("/");
  const partCount = specifier.startsWith("@") && parts[0] !== "@" ? 2 : 1;
  return [parts.slice(0, partCount).join("/"), parts.slice(partCount).join("/")];
}

/** The targets of a key of `exports` or `imports`, with one `*`, by Node's rules. */
function matchMap(map: JsonObject, key: string): readonly string[] {
  const exact = textsOf(map[key]);
  if (exact.length > 0) return exact;
  for (const [pattern, value] of Object.entries(map)) {
    const [start, end] = pattern.split("*");
    if (end === undefined || !key.startsWith(start) || !key.endsWith(end)) continue;
    const middle = key.slice(start.length, key.length - end.length);
    return textsOf(value).map((target) => target.replaceAll("*", () => middle));
  }
  return [];
}

/** Every string in the conditions of an entry, except types. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return Object.entries(objectOf(value)).flatMap(([name, child]) =>
    name === "types" || name.startsWith("./") ? [] : textsOf(child),
  );
}

function stemOf(path: string): string {
  return path.replace(/\.(?:[cm]?[jt]sx?|vue|svelte)$/, "");
}
