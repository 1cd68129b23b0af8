/** Raises versions in package.json; the repository's package manager writes the lock file. */
import semver from "semver";
import { parseRequirements } from "../gate-command/dep-at-least.ts";
import { escapeRegExp, LOCK_PATHS } from "../reading/lock-files.ts";
import { MANIFEST, readManifest, type Manifest, type VersionRequirement } from "../reading/npm-packages.ts";
import type { Tree } from "../reading/tree.ts";
import { lockToolOf } from "./lock-tool.ts";
import type { Edit, Pins, Repair, RepairContext } from "./repair.ts";

export async function mendDependency(args: readonly string[], { tree }: RepairContext): Promise<Repair | null> {
  const requirements = parseRequirements(args);
  if (requirements === null) return null;
  const edits: Edit[] = [];
  const exact: Edit[] = [];
  const done: string[] = [];
  const ranges: (Pins["ranges"][number] & { readonly isSame: boolean })[] = [];
  let lock: Manifest | null = null;
  for (const [path, required] of byManifest(requirements)) {
    const manifest = await readManifest(tree, path);
    const before = await tree.read(path);
    if (manifest === null || before === null || hasTwoLocks(tree, manifest)) return null;
    // One run of one package manager writes one lock file.
    if (lock !== null && lock.lock?.path !== manifest.lock?.path) return null;
    lock ??= manifest;
    let [text, pinned]: (string | null)[] = [before, before];
    for (const requirement of required) {
      const { name, version } = requirement;
      // There is nothing to do in a manifest that lacks the package.
      if (!manifest.dependencies.some((dependency) => dependency.name === name)) continue;
      const range = rangeFor(requirement, manifest);
      if (range === null) return null;
      text = withRange(text, name, range);
      pinned = withRange(pinned, name, { ...range, after: version });
      if (text === null || pinned === null) return null;
      ranges.push({ name, version, range: range.after, isSame: range.after === range.before });
      done.push(`${name} ${range.after}`);
    }
    edits.push({ path, text });
    exact.push({ path, text: pinned });
  }
  if (lock === null || done.length === 0) return null;
  // In a workspace, the manifest of the root sets the version of the package manager.
  const folder = lock.lock?.path.slice(0, lock.lock.path.lastIndexOf("/") + 1) ?? "";
  const root = await readManifest(tree, `${folder}${MANIFEST}`);
  const lockTool = lockToolOf({ ...lock, packageManager: lock.packageManager ?? root?.packageManager ?? null });
  const summary = `${edits.map(({ path }) => path).join(", ")}: ${[...new Set(done)].join(", ")}`;
  const minAgeDays = requirements[0]?.minAgeDays ?? 0;
  const isPinned = minAgeDays > 0 || ranges.some(({ isSame }) => isSame);
  const pins = !isPinned || lock.lock === null ? null : { edits: exact, lockPath: lock.lock.path, ranges, minAgeDays };
  return { summary, edits, lockTool, lockPath: lock.lock?.path ?? null, pins };
}

function byManifest(requirements: readonly VersionRequirement[]): ReadonlyMap<string, readonly VersionRequirement[]> {
  return Map.groupBy(requirements, ({ manifest }) => manifest);
}

/** With two lock files, one would become stale. */
function hasTwoLocks(tree: Tree, { lock }: Manifest): boolean {
  const folder = lock?.path.slice(0, lock.path.lastIndexOf("/") + 1) ?? "";
  return LOCK_PATHS.filter((name) => tree.files.has(folder + name)).length > 1;
}

interface Range {
  readonly before: string;
  readonly after: string;
}

/**
 * A pinned version stays pinned, and the operator of a range stays. A range that includes the version stays as it is where a lock file
 * names the version. URLs and tags are left to the maintainers.
 */
function rangeFor({ name, version, isEverywhere }: VersionRequirement, { dependencies, lock }: Manifest): Range | null {
  const before = dependencies.find((dependency) => dependency.name === name)?.range ?? "";
  // Transitive copies must be updated by the packages that require them.
  if (isEverywhere && (lock?.versions.get(name)?.length ?? 0) > 1) return null;
  const [, sign, rest = ""] = /^([~^]?)(\d[^\s|]*)$/.exec(before) ?? [];
  if (sign !== undefined && (sign !== "" || semver.valid(rest) !== null)) return { before, after: sign + version };
  if (semver.validRange(before) === null) return null;
  if (semver.satisfies(version, before)) return lock !== null && !isEverywhere ? { before, after: before } : null;
  // `1` and `1.x` allow each minor version, `1.2` and `1.2.x` each patch.
  return sign === undefined ? null : { before, after: (/^\d+(?:\.[x*])?$/.test(rest) ? "^" : "~") + version };
}

/** Null if it does not occur exactly once. */
function withRange(text: string | null, name: string, { before, after }: Range): string | null {
  if (text === null || before === after) return text;
  const key = `${JSON.stringify(name)}:`;
  const entry = new RegExp(`(${escapeRegExp(key)}\\s*)${escapeRegExp(JSON.stringify(before))}`, "g");
  if ([...text.matchAll(entry)].length !== 1) return null;
  return text.replace(entry, (_, start: string) => start + JSON.stringify(after));
}
