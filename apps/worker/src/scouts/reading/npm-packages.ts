/** Direct dependencies of package.json, and their locked versions. */
import semver from "semver";
import { objectOf, parseObject, textOf } from "./json.ts";
import { inFolder, LOCK_PATHS, readLockFile, type LockFile } from "./lock-files.ts";
import type { Tree } from "./tree.ts";

export interface Dependency {
  readonly name: string;
  readonly range: string;
  /** The locked version, or the minimum of the range. Null if neither can be parsed. */
  readonly version: string | null;
  /** A runtime dependency, not a development one. */
  readonly isRuntime: boolean;
}

export interface Manifest {
  readonly path: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly licence: string | null;
  readonly author: string | null;
  readonly scripts: ReadonlySet<string>;
  readonly isModule: boolean;
  /** The range of Node versions that the package supports. */
  readonly node: string | null;
  /** `pnpm@10.28.0`. */
  readonly packageManager: string | null;
  readonly dependencies: readonly Dependency[];
  readonly lock: LockFile | null;
}

export const MANIFEST = "package.json";
const SECTIONS = ["devDependencies", "optionalDependencies", "dependencies"] as const;

/** Null if it is missing or invalid JSON. */
export async function readManifest(tree: Tree, path = MANIFEST): Promise<Manifest | null> {
  const manifest = parseObject(await tree.read(path));
  if (manifest === null) return null;
  const lock = await readLockFile(tree, folderOf(path));
  const author = manifest["author"];
  const declared = SECTIONS.flatMap((section) =>
    Object.entries(objectOf(manifest[section])).map(([name, range]) => ({
      name,
      range,
      isRuntime: section !== "devDependencies",
    })),
  );
  return {
    path,
    name: textOf(manifest["name"]),
    description: textOf(manifest["description"]),
    licence: textOf(manifest["license"]),
    author: personOf(textOf(author) ?? textOf(objectOf(author)["name"])),
    scripts: new Set(Object.keys(objectOf(manifest["scripts"]))),
    isModule: manifest["type"] === "module",
    node:
      semver.validRange(textOf(objectOf(manifest["engines"])["node"]) ?? "x") === "*"
        ? null
        : textOf(objectOf(manifest["engines"])["node"]),
    packageManager: textOf(manifest["packageManager"]),
    dependencies: [...new Map(declared.map((entry) => [entry.name, entry])).values()].flatMap(
      ({ name, range, isRuntime }) =>
        typeof range === "string"
          ? [{ name, range, isRuntime, version: lockedVersion(lock, name, range) ?? leastVersion(range) }]
          : [],
    ),
    lock,
  };
}

export interface VersionRequirement {
  readonly name: string;
  readonly version: string;
  /** Whether transitive copies must not be older either. */
  readonly isEverywhere: boolean;
  /** Minimum age of a release that is newer than the required one; 0 for any age. */
  readonly minAgeDays: number;
  readonly manifest: string;
}

/** Whether at least this version is required, and locked where there is a lock file; null if it is not a dependency. */
export function isAtLeast(
  { dependencies, lock }: Manifest,
  { name, version, isEverywhere }: VersionRequirement,
): boolean | null {
  const locked = lock?.versions.get(name) ?? [];
  const direct = dependencies.find((dependency) => dependency.name === name);
  if (direct === undefined && locked.length === 0) return null;
  const isNew = (candidate: string | null) =>
    candidate !== null && semver.valid(candidate) !== null && semver.gte(candidate, version);
  const isDirectNew = direct === undefined || isNew(direct.version);
  return isDirectNew && (direct !== undefined && !isEverywhere ? true : locked.every(isNew));
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** Example projects and inputs of tests stay at the versions that they show. */
const SAMPLES = /(?:^|\/)(?:__fixtures__|fixtures?|tests?|__tests__|spec|examples?|templates?|vendor)\//;

/**
 * Paths of the manifests whose dependencies the repository maintains: the root's, those of its workspace packages, and those with a lock
 * file of their own. `isMember` matches a folder against the workspace's globs.
 */
export async function listManifests(tree: Tree, matcherOf: MatcherOf): Promise<readonly string[]> {
  const globs = await workspaceGlobs(tree);
  const included = globs.filter((glob) => !glob.startsWith("!"));
  const isMember = matcherOf(included);
  const isExcluded = matcherOf(globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)));
  return [...tree.files.keys()].filter((path) => {
    if (path === MANIFEST) return true;
    if (!path.endsWith(`/${MANIFEST}`)) return false;
    const folder = folderOf(path);
    if (included.length > 0 && isMember(folder) && !isExcluded(folder)) return true;
    return !SAMPLES.test(path) && LOCK_PATHS.some((name) => tree.files.has(inFolder(folder, name)));
  });
}

export type MatcherOf = (globs: readonly string[]) => (path: string) => boolean;

async function workspaceGlobs(tree: Tree): Promise<readonly string[]> {
  const { workspaces } = parseObject(await tree.read(MANIFEST)) ?? {};
  const named = Array.isArray(workspaces) ? workspaces : objectOf(workspaces)["packages"];
  const [, listed = ""] =
    /^packages:[ \t]*\n((?:[ \t]*(?:-|#)[^\n]*\n?|\s*\n)*)/m.exec((await tree.read("pnpm-workspace.yaml")) ?? "") ?? [];
  const fromPnpm = Array.from(
    listed.matchAll(/^[ \t]*-[ \t]*["']?([^"'#\n]+?)["']?[ \t]*(?:#.*)?$/gm),
    ([, glob]) => glob,
  );
  const globs = [...(Array.isArray(named) ? named.filter((glob) => typeof glob === "string") : []), ...fromPnpm];
  return globs
    .map((glob) => glob.replace(/^(!?)\.\//, "$1").replace(/\/+$/, ""))
    .filter((glob) => glob !== "" && glob !== ".");
}

/**
 * Scopes that the repository installs from their own registry. This machine's registry may have other packages of these names: asking
 * it would reveal private names, and could propose an unrelated package.
 */
export async function scopesWithOwnRegistry(tree: Tree): Promise<ReadonlySet<string>> {
  const npmrc = (await tree.read(".npmrc")) ?? "";
  const [, berry = ""] =
    /^npmScopes:[ \t]*\n((?:[ \t]+[^\n]*\n?|\s*\n)*)/m.exec((await tree.read(".yarnrc.yml")) ?? "") ?? [];
  const scopes = Array.from(npmrc.matchAll(/^[ \t]*(@[^:\s]+):registry[ \t]*=/gm), ([, scope]) => scope);
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(berry) ?? [];
  const named = Array.from(berry.matchAll(/^([ \t]+)["']?@?([\w.-]+)["']?:[ \t]*$/gm)).filter(
    ([, before]) => before === indent,
  );
  return new Set([...scopes, ...named.map(([, , scope]) => `@${scope}`)]);
}

export function scopeOf(name: string): string | null {
  return name.startsWith("@") ? name.slice(0, name.indexOf("/")) : null;
}

function lockedVersion(lock: LockFile | null, name: string, range: string): string | null {
  const locked = lock?.versions.get(name) ?? [];
  const named = lock?.direct.get(name) ?? lock?.byRange.get(`${name}@${range}`);
  if (named !== undefined) return semver.valid(named);
  return semver.validRange(range) === null
    ? null
    : (semver.maxSatisfying([...locked], range, { includePrerelease: true }) ?? oldestOf(locked));
}

/** A lock file without a version in the range is stale: its version is still the one in use. */
function oldestOf(versions: readonly string[]): string | null {
  return versions.filter((candidate) => semver.valid(candidate) !== null).toSorted(semver.compare)[0] ?? null;
}

/** The minimum version of a range; null for tags, URLs, and ranges without a minimum. */
function leastVersion(range: string): string | null {
  const valid = semver.validRange(range);
  if (valid === null || valid === "*" || valid.startsWith("<")) return null;
  return semver.minVersion(valid)?.version ?? null;
}

/** `Ada <ada@example.test> (https://…)` is Ada. */
function personOf(author: string | null): string | null {
  const name = author?.replace(/[<(].*$/s, "").trim() ?? "";
  return name === "" ? null : name;
}
