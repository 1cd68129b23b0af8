/** Direct dependencies of each manifest that are behind by a major version, or by half a year. */
import semver from "semver";
import type { Dependency, Manifest } from "../reading/npm-packages.ts";
import { readUpdateRules, type IsIgnored } from "../reading/update-rules.ts";
import { foundBy, type Check, type RawFinding, type UpdateSettings } from "./check.ts";
import { chooseVersions, type Choice } from "./choose-versions.ts";
import type { Packument, Registry } from "./registry.ts";
import { byDepth, readManifests } from "./manifests.ts";
import { findPinned } from "./pinned.ts";
import { createAgeRule, type AgeRule } from "./release-age.ts";
import { deprecationOf, updateFinding } from "./update-finding.ts";
import { groupUpdates, oneGroup, type Update } from "./update-groups.ts";

export const depsOutdated: Check = {
  name: "deps_outdated",
  async run(scanContext) {
    const { tree, registry, deps, today } = scanContext;
    const { manifests, missed } = await readManifests(tree);
    const all = manifests.flatMap(({ dependencies }) => dependencies);
    const age = createAgeRule(deps.minReleaseAgeDays, today);
    const pinned = await findPinned(scanContext, age);
    if (all.length === 0) return foundBy("deps_outdated", SCORE, pinned.findings, [...missed, ...pinned.missed]);
    const names = new Set(all.map(({ name }) => name));
    const packuments = await registry()
      .then((client) => findAll(names, client))
      .catch((error: unknown) => {
        // Other ecosystems do not need the npm registry.
        if (pinned.findings.length === 0) throw error;
        return error instanceof Error ? error.message : String(error);
      });
    if (typeof packuments === "string")
      return foundBy("deps_outdated", SCORE, pinned.findings, [...pinned.missed, packuments]);
    const rules = { age, isIgnored: await readUpdateRules(tree), deps, packuments };
    const node = manifests[0]?.node ?? null;
    const proposed = manifests.map((manifest) => ({
      manifest,
      groups: groupsOf({ ...manifest, node: manifest.node ?? node }, rules),
    }));
    const texts = new Map(
      await Promise.all(manifests.map(async ({ path }) => [path, (await tree.read(path)) ?? ""] as const)),
    );
    const findings = mergeEqual(proposed).map(({ updates, isGroup, paths }) => ({
      updates,
      finding: updateFinding(updates, {
        manifests: new Map(paths.map((path) => [path, texts.get(path) ?? ""])),
        isGroup,
        isCompatibleOnly: isGroup && deps.group === "minor",
        age,
      }),
    }));
    const updated = new Set(findings.flatMap(({ updates }) => updates.map(({ name }) => name)));
    const deprecations = [...packuments].flatMap(([name, packument]) =>
      updated.has(name) ? [] : (deprecationOf(name, packument) ?? []),
    );
    return foundBy(
      "deps_outdated",
      SCORE,
      [...distinct(findings.map(({ finding }) => finding)), ...pinned.findings],
      [...missed, ...pinned.missed, ...deprecations, ...withoutDates(all, packuments, age)],
    );
  },
};

const SCORE = 0.55;
const CONCURRENCY_MAX = 8;

async function findAll(names: ReadonlySet<string>, registry: Registry): Promise<ReadonlyMap<string, Packument>> {
  const packuments = new Map<string, Packument>();
  const all = [...names];
  for (let at = 0; at < all.length; at += CONCURRENCY_MAX) {
    const some = all.slice(at, at + CONCURRENCY_MAX);
    const found = await Promise.all(some.map((name) => registry.find(name)));
    for (const [index, packument] of found.entries()) if (packument !== null) packuments.set(some[index], packument);
  }
  return packuments;
}

interface Rules {
  readonly age: AgeRule;
  readonly isIgnored: IsIgnored;
  readonly deps: UpdateSettings;
  readonly packuments: ReadonlyMap<string, Packument>;
}

interface Group {
  readonly updates: readonly Update[];
  /** Whether it is the group of its manifest, according to `deps.group`. */
  readonly isGroup: boolean;
}

function groupsOf(manifest: Manifest, { age, isIgnored, deps, packuments }: Rules): readonly Group[] {
  const known = manifest.dependencies.flatMap((dependency) => {
    const packument = packuments.get(dependency.name);
    return packument === undefined ? [] : [[dependency, packument] as const];
  });
  const choose = (isCompatibleOnly: boolean) =>
    chooseVersions(known, { node: manifest.node, isIgnored, age, isCompatibleOnly }).values();
  const isUseful = (choice: Choice) => !isInstalledAnyway(manifest, choice);
  const single = () => groupUpdates(choose(false), isUseful);
  if (deps.group === "none") return single().map((updates) => ({ updates, isGroup: false }));
  const group = { updates: oneGroup(choose(deps.group === "minor"), isUseful), isGroup: true };
  const others = deps.group === "all" ? [] : single().filter((updates) => updates.some((one) => one.isBreaking));
  return [...others.map((updates) => ({ updates, isGroup: false })), ...(group.updates.length > 0 ? [group] : [])];
}

/** Without a lock file, users already get each compatible release, and a higher minimum would only limit their choice. */
function isInstalledAnyway({ lock }: Manifest, { from, to, range }: Choice): boolean {
  return lock === null && from !== to && semver.validRange(range) !== null && semver.satisfies(to, range);
}

interface MergedGroup extends Group {
  readonly paths: readonly string[];
}

/** One finding for the same update in manifests that share a lock file. Groups belong to their manifest. */
function mergeEqual(
  proposed: readonly { readonly manifest: Manifest; readonly groups: readonly Group[] }[],
): readonly MergedGroup[] {
  const merged = new Map<string, { readonly group: Group; readonly paths: string[] }>();
  for (const { manifest, groups } of proposed)
    for (const group of groups) {
      const versions = group.updates.map(({ name, to }) => `${name}@${to}`).toSorted();
      const key = group.isGroup ? manifest.path : [manifest.lock?.path, ...versions].join(" ");
      const existing = merged.get(key);
      if (existing === undefined) merged.set(key, { group, paths: [manifest.path] });
      else existing.paths.push(manifest.path);
    }
  return [...merged.values()]
    .map(({ group, paths }) => ({ ...group, paths: paths.toSorted(byDepth) }))
    .toSorted((one, other) => importanceOf(other) - importanceOf(one));
}

/** Runtime dependencies come first; among equals, the group, which is the least work. */
function importanceOf({ updates, isGroup }: Group): number {
  return (updates.some(({ isRuntime }) => isRuntime) ? 2 : 0) + (isGroup ? 1 : 0);
}

/** Equal packages at different versions, in different manifests: the first keeps the identity of a single manifest. */
function distinct(findings: readonly RawFinding[]): readonly RawFinding[] {
  const keys = new Set<string>();
  return findings.map((finding) => {
    const key = JSON.stringify(finding.key);
    const path = finding.evidence[0]?.path ?? "";
    const unique = keys.has(key) ? { ...finding, key: [path, ...finding.key] } : finding;
    keys.add(JSON.stringify(unique.key));
    return unique;
  });
}

function withoutDates(
  dependencies: readonly Dependency[],
  packuments: ReadonlyMap<string, Packument>,
  age: AgeRule,
): readonly string[] {
  if (age.days === 0) return [];
  const names = new Set(
    dependencies.flatMap(({ name, version }) => {
      const packument = packuments.get(name);
      const isDateless = packument !== undefined && Object.keys(packument.time ?? {}).length === 0;
      return isDateless && version !== null && packument["dist-tags"].latest !== version ? [name] : [];
    }),
  );
  if (names.size === 0) return [];
  const [first, more] = [[...names].slice(0, 5).join(", "), names.size - 5];
  return [
    `the npm registry gives no release dates of ${first}${more > 0 ? ` and ${more} more` : ""}, and deps.min_release_age_days is ${age.days}`,
  ];
}
