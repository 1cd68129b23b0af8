/** What package.json asks for directly, and which version of it the lock file holds. */
import type { Tree } from "./tree.ts";
import { compareVersions, leastOf, readVersion, type Version } from "./versions.ts";

export interface Dependency {
  readonly name: string;
  readonly range: string;
  /** As locked; where nothing is locked, the least that the range takes. Null where neither can be read. */
  readonly version: Version | null;
}

export interface Manifest {
  readonly name: string | null;
  readonly description: string | null;
  readonly licence: string | null;
  readonly author: string | null;
  readonly scripts: ReadonlySet<string>;
  readonly isModule: boolean;
  readonly dependencies: readonly Dependency[];
  readonly isLocked: boolean;
  /** Every version of every package that the lock file holds, direct or not. */
  readonly locked: ReadonlyMap<string, readonly string[]>;
}

export const MANIFEST = "package.json";
export const LOCK = "package-lock.json";
const SECTIONS = ["dependencies", "devDependencies", "optionalDependencies"] as const;

/** Null where there is none, or none that is JSON. */
export async function readManifest(tree: Tree): Promise<Manifest | null> {
  const manifest = parsed(await tree.read(MANIFEST));
  if (manifest === null) return null;
  const packages = objectOf(parsed(await tree.read(LOCK))?.["packages"]);
  const ranges = new Map(SECTIONS.flatMap((section) => Object.entries(objectOf(manifest[section]))));
  const author = manifest["author"];
  return {
    name: textOf(manifest["name"]),
    description: textOf(manifest["description"]),
    licence: textOf(manifest["license"]),
    author: nameOf(textOf(author) ?? textOf(objectOf(author)["name"])),
    scripts: new Set(Object.keys(objectOf(manifest["scripts"]))),
    isModule: manifest["type"] === "module",
    dependencies: [...ranges].flatMap(([name, range]) =>
      typeof range === "string" ? [{ name, range, version: lockedOf(packages, name) ?? leastOf(range) }] : [],
    ),
    isLocked: tree.files.has(LOCK),
    locked: everyLocked(packages),
  };
}

/** At least this version is asked for, and at least this is locked where there is a lock file; null where it is no dependency. */
export function isAtLeast({ dependencies, locked }: Manifest, name: string, least: Version): boolean | null {
  const held = (locked.get(name) ?? []).map(readVersion);
  const direct = dependencies.find((one) => one.name === name);
  if (direct === undefined && held.length === 0) return null;
  const isNew = (version: Version | null) => version !== null && compareVersions(version, least) >= 0;
  // What others bring along has no range of ours: the lock file alone says which it is.
  return held.every(isNew) && (direct === undefined || held.length > 0 || isNew(direct.version));
}

function lockedOf(packages: Readonly<Record<string, unknown>>, name: string): Version | null {
  return readVersion(textOf(objectOf(packages[`node_modules/${name}`])["version"]) ?? "");
}

function everyLocked(packages: Readonly<Record<string, unknown>>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [path, value] of Object.entries(packages)) {
    const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    const version = textOf(objectOf(value)["version"]);
    // A link is a package of this repository, not one of the registry.
    if (name === undefined || version === null || objectOf(value)["link"] === true) continue;
    const versions = found.get(name) ?? [];
    if (!versions.includes(version)) versions.push(version);
    found.set(name, versions);
  }
  return found;
}

/** `Ada <ada@example.test> (https://…)` is Ada. */
function nameOf(author: string | null): string | null {
  const name = author?.replace(/[<(].*$/s, "").trim() ?? "";
  return name === "" ? null : name;
}

function parsed(text: string | null): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = text === null ? null : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
