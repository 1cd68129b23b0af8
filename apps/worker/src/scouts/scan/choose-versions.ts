/**
 * The newest version of each dependency that fits the repository's Node and the peer dependencies of the others. In a conflict, the
 * package that others depend on stays lower.
 */
import semver from "semver";
import { objectOf, textOf } from "../reading/json.ts";
import type { Dependency, Manifest } from "../reading/npm-packages.ts";
import type { IsIgnored } from "../reading/update-rules.ts";
import type { Packument } from "./registry.ts";
import type { AgeRule } from "./release-age.ts";

export interface Choice extends Dependency {
  readonly packument: Packument;
  readonly from: string;
  /** The same as `from` if nothing newer fits. */
  to: string;
}

export interface VersionRules {
  readonly node: Manifest["node"];
  readonly isIgnored: IsIgnored;
  readonly age: AgeRule;
  /** Only versions without breaking changes, by their number. */
  readonly isCompatibleOnly: boolean;
}

interface Option extends Choice {
  /** Starts with `from`; oldest first. */
  readonly versions: readonly string[];
}

export function chooseVersions(
  packuments: readonly (readonly [Dependency, Packument])[],
  choosing: VersionRules,
): ReadonlyMap<string, Choice> {
  const options = new Map<string, Option>();
  for (const [dependency, packument] of packuments) {
    const from = dependency.version;
    if (from === null) continue;
    const versions = [from, ...fitting(dependency, from, { packument, ...choosing })];
    options.set(dependency.name, { ...dependency, packument, from, versions, to: versions.at(-1) ?? from });
  }
  const most = [...options.values()].reduce((sum, { versions }) => sum + versions.length, 0);
  for (let step = 0; step < most; step++) {
    const clash = findClash(options);
    if (clash === null) break;
    settle(clash);
  }
  return options;
}

interface ReleaseRules extends VersionRules {
  readonly packument: Packument;
}

/** Releases above `from` up to the latest, without withdrawn ones. `=1.2.3` is left to the maintainers. */
function fitting(
  { name, range }: Dependency,
  from: string,
  { packument, node, isIgnored, age, isCompatibleOnly }: ReleaseRules,
): readonly string[] {
  const { latest } = packument["dist-tags"];
  if (semver.valid(latest) === null || range.trim().startsWith("=")) return [];
  const releases = Object.keys(packument.versions)
    .filter((version) => semver.valid(version) !== null && semver.prerelease(version) === null)
    .toSorted(semver.compare);
  const used = packument.versions[from]?.engines;
  return releases.filter((version, index) => {
    if (isDeprecated(packument.versions[version]?.deprecated)) return false;
    if (semver.lte(version, from) || semver.gt(version, latest)) return false;
    if (isIgnored(name, semver.major(version) > semver.major(from))) return false;
    if (isCompatibleOnly && isBreaking(from, version)) return false;
    if (!age.isMet(packument, version)) return false;
    return supportsNode(name, version, { engines: enginesOf(releases.slice(index), packument), node, used });
  });
}

/** Whether the major version differs; below 1.0.0 also the minor version. */
export function isBreaking(from: string, to: string): boolean {
  return semver.major(to) > semver.major(from) || (semver.major(to) === 0 && semver.minor(to) > semver.minor(from));
}

/** A release without engines inherits those of the next release of its major version. */
function enginesOf([version, ...later]: readonly string[], { versions }: Packument): unknown {
  const all = [version, ...later].filter((candidate) => semver.major(candidate) === semver.major(version));
  return all
    .map((candidate) => versions[candidate]?.engines)
    .find((engines) => textOf(objectOf(engines)["node"]) !== null);
}

export function isDeprecated(deprecated: unknown): boolean {
  return deprecated !== undefined && deprecated !== false && deprecated !== "";
}

interface Engines {
  readonly engines: unknown;
  readonly node: string | null;
  /** The engines of the version that is in use. */
  readonly used: unknown;
}

/** It runs on every Node that the repository supports, or at least on every one of the version in use. */
function supportsNode(name: string, version: string, { engines, node, used }: Engines): boolean {
  if (node === null || semver.validRange(node) === null) return true;
  // Node's types describe one major version: newer ones declare APIs that the oldest supported Node lacks.
  if (name === "@types/node") return semver.major(version) <= (semver.minVersion(node)?.major ?? Infinity);
  const needed = textOf(objectOf(engines)["node"]);
  if (needed === null || semver.validRange(needed) === null) return true;
  const needsNow = semver.validRange(textOf(objectOf(used)["node"]) ?? "*");
  const isNarrowAlready = needsNow !== null && !semver.subset(node, needsNow);
  return semver.subset(node, needed) || (isNarrowAlready && semver.subset(needsNow, needed));
}

interface Clash {
  readonly asking: Option;
  readonly peer: Option;
  readonly range: string;
}

function findClash(options: ReadonlyMap<string, Option>): Clash | null {
  for (const asking of options.values())
    for (const [name, range] of peersOf(asking, asking.to)) {
      const peer = options.get(name);
      if (peer === undefined || isWithin(peer.to, range)) continue;
      // A combination that is unchanged is known to work.
      if (asking.to !== asking.from || peer.to !== peer.from) return { asking, peer, range };
    }
  return null;
}

function settle({ asking, peer, range }: Clash): void {
  const lower = peer.versions.findLast((candidate) => semver.lt(candidate, peer.to) && isWithin(candidate, range));
  if (lower !== undefined) peer.to = lower;
  else if (asking.to !== asking.from) asking.to = previousVersion(asking);
  else peer.to = previousVersion(peer);
}

function previousVersion({ versions, to, from }: Option): string {
  return versions.findLast((candidate) => semver.lt(candidate, to)) ?? from;
}

function isWithin(version: string, range: string): boolean {
  return semver.validRange(range) === null || semver.satisfies(version, range, { includePrerelease: true });
}

/** Peer dependencies of a version; types also require the package that they describe. */
function peersOf({ name, packument }: Choice, version: string): readonly (readonly [name: string, range: string])[] {
  const peers = Object.entries(objectOf(packument.versions[version]?.peerDependencies)).flatMap(([peer, range]) =>
    typeof range === "string" ? [[peer, range] as const] : [],
  );
  const [, described] = /^@types\/(.+)$/.exec(name) ?? [];
  if (described === undefined || described === "node" || semver.valid(version) === null) return peers;
  return [...peers, [described.replace(/^(.+)__(.+)$/, "@$1/$2"), `>=${semver.major(version)}.0.0-0`]];
}

/** Whether one update requires the other. */
export function isNeededBy(needed: Choice, other: Choice): boolean {
  const asks = (choice: Choice, version: string, peer: Choice, at: string) =>
    peersOf(choice, version).every(([name, range]) => name !== peer.name || isWithin(at, range));
  if (needed.to === needed.from || needed.name === other.name) return false;
  const asksForIt = !asks(other, other.to, needed, needed.from) && asks(other, other.from, needed, needed.from);
  const keepsItBack = !asks(needed, needed.from, other, other.to) && asks(needed, needed.from, other, other.from);
  return asksForIt || keepsItBack || isSameProject(needed, other);
}

/** Packages of one repository that share a version. */
function isSameProject(one: Choice, other: Choice): boolean {
  const repository = repositoryOf(one);
  return one.to === other.to && one.from === other.from && repository !== null && repository === repositoryOf(other);
}

function repositoryOf({ packument, to }: Choice): string | null {
  const repository = packument.versions[to]?.repository;
  return textOf(repository) ?? textOf(objectOf(repository)["url"]);
}
