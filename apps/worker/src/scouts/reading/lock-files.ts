/** Lock files of JavaScript package managers: the repository's kind, and the locked versions. */
import { objectOf, parseObject, textOf } from "./json.ts";
import type { Tree } from "./tree.ts";

export type PackageManager = "npm" | "pnpm" | "yarn" | "bun";

export interface LockFile {
  readonly path: string;
  /** The first lines, which contain the format version. */
  readonly head: string;
  readonly manager: PackageManager;
  /** Every version of every package; empty if the file cannot be parsed. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  /** Versions of the manifest's direct dependencies, if the file lists them. */
  readonly direct: ReadonlyMap<string, string>;
  /** Versions by `name@range`, in the lock files of yarn. */
  readonly byRange: ReadonlyMap<string, string>;
}

/** `importer`: folder of the manifest, from that of the lock file; empty if both are in one. */
type Read = (text: string, importer: string) => Pick<LockFile, "versions" | "direct"> & Partial<LockFile>;

const HEAD = 500;

const KINDS: readonly (readonly [path: string, manager: PackageManager, read: Read])[] = [
  ["npm-shrinkwrap.json", "npm", readNpm],
  ["package-lock.json", "npm", readNpm],
  ["pnpm-lock.yaml", "pnpm", readPnpm],
  ["yarn.lock", "yarn", readYarn],
  ["bun.lock", "bun", readBun],
  ["bun.lockb", "bun", () => ({ versions: new Map(), direct: new Map() })],
];
const LOCK_FILE_BYTES_MAX = 32 * 1024 * 1024;

export const LOCK_PATHS: readonly string[] = KINDS.map(([path]) => path);

/**
 * The lock file in the folder of the manifest, else the nearest one above it, because packages of a workspace share one. Null if there is
 * none.
 */
export async function readLockFile(tree: Tree, folder = ""): Promise<LockFile | null> {
  for (let at = folder; ; at = at.slice(0, Math.max(at.lastIndexOf("/"), 0))) {
    const kind = KINDS.find(([name]) => tree.files.has(inFolder(at, name)));
    if (kind !== undefined) {
      const [name, manager, read] = kind;
      const path = inFolder(at, name);
      const text = (await tree.peek(path, LOCK_FILE_BYTES_MAX))?.toString("utf8") ?? "";
      const importer = at === "" ? folder : folder.slice(at.length + 1);
      return { path, manager, head: text.slice(0, HEAD), byRange: new Map(), ...read(text, importer) };
    }
    if (at === "") return null;
  }
}

export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

export function inFolder(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function readNpm(text: string, importer: string): ReturnType<Read> {
  const found = new Found();
  const direct = new Map<string, string>();
  for (const [path, value] of Object.entries(objectOf(parseObject(text)?.["packages"]))) {
    const [, above = "", name] = /^(.*?)(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    const version = textOf(objectOf(value)["version"]);
    // A link is a workspace package, not one from the registry.
    if (name === undefined || version === null || objectOf(value)["link"] === true) continue;
    found.add(name, version);
    if (above === importer || (above === "" && !direct.has(name))) direct.set(name, version);
  }
  return { versions: found.versions, direct };
}

/** `  name@1.2.3:`, before version 9 of the format `  /name@1.2.3(peer@1.0.0):` and `  /name/1.2.3:`. */
const PNPM_PACKAGE = /^ {2}'?\/?((?:@[^@/\s']+\/)?[^@/\s'()]+)[@/](\d[^\s'():_]*)[^\n]*:\s*$/gm;
const PNPM_DIRECT = /^ {2,6}'?((?:@[^@/\s']+\/)?[^@/\s':]+)'?:\n\s+specifier: [^\n]*\n\s+version: '?(\d[^\s'(]*)/gm;

function readPnpm(text: string, importer: string): ReturnType<Read> {
  const found = new Found();
  const [, listed = ""] = /^packages:\n([^]*?)(?=^\w|$(?![^]))/m.exec(text) ?? [];
  for (const [, name, version] of listed.matchAll(PNPM_PACKAGE)) found.add(name, version);
  // A workspace lists the dependencies of each of its packages.
  const whole = importer === "" ? text.slice(0, text.indexOf("\npackages:")) : "";
  const key = escapeRegExp(importer === "" ? "." : importer);
  const [, own = whole] = new RegExp(`^ {2}'?${key}'?:\\n([^]*?)(?=^ {0,2}\\S)`, "m").exec(text) ?? [];
  const direct = new Map(Array.from(own.matchAll(PNPM_DIRECT), ([, name, version]) => [name, version] as const));
  return { versions: found.versions, direct };
}

/** `name@^1.0.0, name@~1.0.0:` and `"name@npm:^1.0.0":`, then `  version "1.2.3"` or `  version: 1.2.3`. */
const YARN_ENTRY = /^("?((?:@[^@/\s]+\/)?[^@\s"]+)@[^\n]*):\n {2}version:? "?([^\s"]+)"?$/gm;

function readYarn(text: string): ReturnType<Read> {
  const found = new Found();
  const byRange = new Map<string, string>();
  for (const [, key, name, version] of text.matchAll(YARN_ENTRY)) {
    if (version.startsWith("0.0.0-use")) continue;
    found.add(name, version);
    for (const descriptor of key.replaceAll('"', "").split(", "))
      byRange.set(descriptor.replace("@npm:", "@"), version);
  }
  return { versions: found.versions, direct: new Map(), byRange };
}

/** `"name": ["name@1.2.3", …]`, a nested one as `"parent/name"`. */
const BUN_ENTRY = /^\s*"([^"]+)": \["((?:@[^@/"]+\/)?[^@"]+)@(\d[^"]*)"/gm;

function readBun(text: string): ReturnType<Read> {
  const found = new Found();
  const direct = new Map<string, string>();
  for (const [, key, name, version] of text.matchAll(BUN_ENTRY)) {
    found.add(name, version);
    if (key === name) direct.set(name, version);
  }
  return { versions: found.versions, direct };
}

class Found {
  readonly versions = new Map<string, string[]>();

  add(name: string, version: string): void {
    const existing = this.versions.get(name) ?? [];
    if (!existing.includes(version)) existing.push(version);
    this.versions.set(name, existing);
  }
}
