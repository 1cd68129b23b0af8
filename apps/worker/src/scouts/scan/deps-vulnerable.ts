/** Direct and transitive packages of each lock file with a known vulnerability that a newer version fixes. */
import semver from "semver";
import { gateLine } from "../gate-command/gate-protocol.ts";
import { truncate } from "@triptych/util";
import { titleOf } from "../finding.ts";
import { MANIFEST, type Manifest } from "../reading/npm-packages.ts";
import type { Tree } from "../reading/tree.ts";
import { foundBy, type Check, type RawFinding } from "./check.ts";
import { byDepth, readManifests } from "./manifests.ts";
import { lineOf } from "./update-finding.ts";
import { isDeprecated } from "./choose-versions.ts";
import type { Advisories, Packument } from "./registry.ts";

export const depsVulnerable: Check = {
  name: "deps_vulnerable",
  async run({ tree, registry }) {
    const { manifests, isForeign } = await readManifests(tree);
    const projects = await projectsOf(tree, manifests, isForeign);
    const used = new Map<string, Set<string>>();
    for (const { versions } of projects)
      for (const [name, some] of versions) used.set(name, new Set([...(used.get(name) ?? []), ...some]));
    if (used.size === 0) return foundBy("deps_vulnerable", SCORE, []);
    const client = await registry();
    const advisories = await client.advisories(
      Object.fromEntries([...used].map(([name, versions]) => [name, [...versions]])),
    );
    const rawFindings: (RawFinding & { readonly weight: number })[] = [];
    const missed = new Set<string>();
    for (const name of Object.keys(advisories).toSorted())
      for (const project of projects) {
        const weakness = weaknessIn(project, name, advisories[name]);
        if (weakness === null) continue;
        const fixed = fixedIn(await client.find(name), weakness);
        if (fixed === null) missed.add(`${name} has a known vulnerability and no fixed version`);
        else rawFindings.push(toRawFinding(weakness, fixed, project));
      }
    rawFindings.sort((one, other) => other.weight - one.weight || (one.title < other.title ? -1 : 1));
    return foundBy("deps_vulnerable", SCORE, rawFindings, [...missed]);
  },
};

const SCORE = 0.9;
const SEVERITIES = ["info", "low", "moderate", "high", "critical"];

/** The manifests that share a lock file, or a single manifest without one. */
interface Project {
  /** Texts by path, the nearest to the root first. */
  readonly manifests: ReadonlyMap<string, string>;
  readonly lock: { readonly path: string; readonly text: string } | null;
  readonly versions: ReadonlyMap<string, readonly string[]>;
}

async function projectsOf(
  tree: Tree,
  manifests: readonly Manifest[],
  isForeign: (name: string) => boolean,
): Promise<readonly Project[]> {
  const groups = Map.groupBy(manifests, ({ lock, path }) => lock?.path ?? path);
  return Promise.all(
    [...groups.values()].map(async (members) => {
      const paths = members.map(({ path }) => path).toSorted(byDepth);
      const lockPath = members[0]?.lock?.path ?? null;
      const texts = paths.map(async (path) => [path, (await tree.read(path)) ?? ""] as const);
      return {
        manifests: new Map(await Promise.all(texts)),
        lock: lockPath === null ? null : { path: lockPath, text: (await tree.read(lockPath)) ?? "" },
        versions: new Map([...versionsOf(members)].filter(([name]) => !isForeign(name))),
      };
    }),
  );
}

/** The locked versions; without a lock file, the minimum of the range. */
function versionsOf(members: readonly Manifest[]): ReadonlyMap<string, readonly string[]> {
  const locked = members[0]?.lock?.versions;
  if (locked !== undefined && locked.size > 0) return locked;
  const least = members.flatMap(({ dependencies }) => dependencies).filter(({ version }) => version !== null);
  return new Map(
    [...Map.groupBy(least, ({ name }) => name)].map(([name, all]) => [
      name,
      [...new Set(all.flatMap(({ version }) => version ?? []))],
    ]),
  );
}

interface Weakness {
  readonly name: string;
  readonly used: readonly string[];
  readonly advisories: Advisories[string];
}

/** Null if the versions of this project have no advisory. */
function weaknessIn({ versions }: Project, name: string, all: Advisories[string]): Weakness | null {
  const used = versions.get(name) ?? [];
  const advisories = all.filter(({ vulnerable_versions: range }) => used.some((version) => !isOutside(range, version)));
  return advisories.length === 0 ? null : { name, used, advisories };
}

/** The lowest higher release without an advisory, preferably of the same major version. */
function fixedIn(packument: Packument | null, { used, advisories }: Weakness): string | null {
  const newest = used
    .filter((version) => semver.valid(version) !== null)
    .toSorted(semver.compare)
    .at(-1);
  if (packument === null || newest === undefined) return null;
  const above = Object.entries(packument.versions)
    .filter(([version, { deprecated }]) => !isDeprecated(deprecated) && semver.valid(version) !== null)
    .map(([version]) => version)
    .filter((candidate) => semver.prerelease(candidate) === null && semver.gte(candidate, newest))
    .filter((candidate) => advisories.every(({ vulnerable_versions: range }) => isOutside(range, candidate)))
    .toSorted(semver.compare);
  return above.find((candidate) => semver.major(candidate) === semver.major(newest)) ?? above[0] ?? null;
}

/** An unparseable range counts as affected. */
function isOutside(range: string, version: string): boolean {
  return semver.validRange(range) !== null && !semver.satisfies(version, range, { includePrerelease: true });
}

function toRawFinding(
  { name, used, advisories }: Weakness,
  fixed: string,
  { manifests, lock }: Project,
): RawFinding & { readonly weight: number } {
  const weight = Math.max(...advisories.map(({ severity }) => SEVERITIES.indexOf(severity)));
  const direct = [...manifests].flatMap(([path, text]) => {
    const line = lineOf(text, name);
    return line === null ? [] : [{ path, line, excerpt: name }];
  });
  const [first = MANIFEST] = manifests.keys();
  const paths = direct.length === 0 ? [first] : direct.map(({ path }) => path);
  const isRootOnly = paths.length === 1 && paths[0] === MANIFEST;
  const [folder = ""] = /^.+(?=\/)/.exec(paths[0]) ?? [];
  const where = paths.length === 1 && folder !== "" ? ` in ${folder}` : "";
  const urls = advisories.map(({ url }) => url).toSorted();
  return {
    weight,
    // The path tells projects with lock files of their own apart.
    key: first === MANIFEST ? [name, ...urls] : [first, name, ...urls],
    title: titleOf(
      `Update ${name} to ${fixed}${where} (${advisories[0].title})`,
      `Update ${name} to ${fixed}${where} (security)`,
      `Update ${name} to ${fixed} (security)`,
      `Update ${name} (security)`,
    ),
    focus: truncate(
      `Update ${name} (${used.join(", ")}) to ${fixed} or newer everywhere${direct.length === 0 ? "; it is a transitive dependency: update the package that requires it, or override it" : `, in ${paths.join(", ")} and in the lock file`}. Advisories:\n\n${advisories.map(({ severity, title, url }) => `- ${severity}: ${title} (${url})`).join("\n")}`,
      4_000,
    ),
    gate: gateLine(
      "dep-at-least",
      name,
      fixed,
      "--everywhere",
      ...(isRootOnly ? [] : paths.flatMap((path) => ["--in", path])),
    ),
    category: "security",
    rationale: `${advisories.length === 1 ? "One advisory affects it" : `${advisories.length} advisories affect it`}: ${SEVERITIES[weight] ?? "unknown"} is the highest severity.`,
    effort: "s",
    risk: "low",
    evidence:
      direct.length === 0
        ? [{ path: lock?.path ?? first, line: lineOf(lock?.text ?? "", `node_modules/${name}`), excerpt: name }]
        : direct.slice(0, 10),
  };
}
