/** Direct dependencies of package.json, and their locked versions. */
import semver from "semver";
import { objectOf, parseObject, textOf } from "./json.ts";
import { readLockFile, type LockFile } from "./lock-files.ts";
import type { Tree } from "./tree.ts";

export interface Dependency {
  readonly name: string;
  readonly range: string;
  /** The locked version, or the minimum of the range. Null where neither can be parsed. */
  readonly version: string | null;
  /** A runtime dependency, not a development one. */
  readonly isRuntime: boolean;
}

export interface Manifest {
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

/** Null where it is missing or invalid JSON. */
export async function readManifest(tree: Tree): Promise<Manifest | null> {
  const manifest = parseObject(await tree.read(MANIFEST));
  if (manifest === null) return null;
  const lock = await readLockFile(tree);
  const author = manifest["author"];
  const declared = SECTIONS.flatMap((section) =>
    Object.entries(objectOf(manifest[section])).map(([name, range]) => ({
      name,
      range,
      isRuntime: section !== "devDependencies",
    })),
  );
  return {
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
  /** Transitive copies must not be older either. */
  readonly isEverywhere: boolean;
}

/** Whether at least this version is required, and locked where there is a lock file; null where it is not a dependency. */
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

function lockedVersion(lock: LockFile | null, name: string, range: string): string | null {
  const locked = lock?.versions.get(name) ?? [];
  const named = lock?.direct.get(name);
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
