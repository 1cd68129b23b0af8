/**
 * The files that decide the result of `npm ci` at a commit: lock file, manifests, settings and version files. Null if other files may
 * take part, for example through an install script. The whole commit is then the input.
 */
import type { Git } from "@triptych/git";
import { Type } from "typebox";
import { Value } from "typebox/value";

export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
  /** Bytes as latin1. */
  readonly path: string;
}

const LOCKS = ["npm-shrinkwrap.json", "package-lock.json"];
const SETTINGS = [".npmrc", ".nvmrc", ".node-version", ".tool-versions", "mise.toml", ".mise.toml"];
const REGULAR = /^100(?:644|755)$/;

export interface LockInputs {
  /** The name of the lock file. */
  readonly label: string;
  readonly entries: readonly TreeEntry[];
}

export async function listTree(git: Git, treeId: string): Promise<readonly TreeEntry[]> {
  const lines = (await git.run(["ls-tree", "-r", "-z", treeId])).toString("latin1").split("\0").filter(Boolean);
  return lines.flatMap((line) => {
    const [, mode, id, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return mode === undefined || id === undefined || path === undefined ? [] : [{ mode, id, path }];
  });
}

export async function findLockInputs(git: Git, tree: readonly TreeEntry[]): Promise<LockInputs | null> {
  const byPath = new Map(tree.map((entry) => [entry.path, entry]));
  // node-gyp builds a package that has this file, without any script.
  if (tree.some(({ path }) => path === "binding.gyp" || path.endsWith("/binding.gyp"))) return null;
  const lock = LOCKS.flatMap((name) => byPath.get(name) ?? [])[0];
  if (lock === undefined || !REGULAR.test(lock.mode)) return null;
  const folders = localPackages(await textOf(git, lock));
  if (folders === null) return null;
  const manifests = folders.map((folder) => byPath.get(folder === "" ? "package.json" : `${folder}/package.json`));
  const settings = SETTINGS.flatMap((name) => byPath.get(name) ?? []);
  const entries = [lock, ...settings];
  for (const manifest of manifests) {
    if (manifest === undefined || hasScripts(await textOf(git, manifest))) return null;
    entries.push(manifest);
  }
  const npmrc = byPath.get(".npmrc");
  if (npmrc !== undefined && !isPlainNpmrc(await textOf(git, npmrc))) return null;
  return entries.every(({ mode }) => REGULAR.test(mode)) ? { label: lock.path, entries } : null;
}

const Lock = Type.Object({
  packages: Type.Record(
    Type.String(),
    Type.Object({ hasInstallScript: Type.Optional(Type.Boolean()), resolved: Type.Optional(Type.String()) }),
  ),
});

/** Packages whose install script only selects or builds a binary of their own. */
const OWN_BINARIES =
  /(?:^|\/)node_modules\/(?:esbuild|fsevents|core-js|core-js-pure|es5-ext|sharp|unrs-resolver|@swc\/core|@parcel\/watcher)$/;

/** Folders of the repository's own packages; null if an install script of a dependency may read other files. */
function localPackages(text: string): readonly string[] | null {
  const lock = parseJson(text);
  if (!Value.Check(Lock, lock)) return null;
  const folders: string[] = [];
  for (const [path, { hasInstallScript }] of Object.entries(lock.packages)) {
    if (!/(?:^|\/)node_modules\//.test(path)) folders.push(path);
    else if (hasInstallScript === true && !OWN_BINARIES.test(path)) return null;
  }
  return folders.some((folder) => folder.startsWith("..")) ? null : folders;
}

const Manifest = Type.Object({ scripts: Type.Optional(Type.Record(Type.String(), Type.Unknown())) });
const LIFECYCLE = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
/** Writes git settings and `.husky/_` only. */
const HUSKY = /^(?:is-ci \|\| )?husky(?: install)?(?: \|\| (?:true|exit 0))?$/;

function hasScripts(text: string): boolean {
  const manifest = parseJson(text);
  if (!Value.Check(Manifest, manifest)) return true;
  return LIFECYCLE.some((name) => {
    const script = manifest.scripts?.[name];
    return script !== undefined && !(typeof script === "string" && HUSKY.test(script.trim()));
  });
}

const PLAIN =
  /^(?:(?:@[\w.-]+:)?registry|\/\/\S+:_authToken|save-exact|save-prefix|package-lock|engine-strict|fund|audit|access|provenance|legacy-peer-deps|ignore-scripts|loglevel|progress|update-notifier)\s*=/;

function isPlainNpmrc(text: string): boolean {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.every((line) => line === "" || line.startsWith("#") || line.startsWith(";") || PLAIN.test(line));
}

async function textOf(git: Git, { id }: TreeEntry): Promise<string> {
  return (await git.run(["cat-file", "blob", id])).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
