/** Direct and transitive packages with a known vulnerability that a newer version fixes. */
import semver from "semver";
import { gateLine } from "../gate-command/gate-protocol.ts";
import { truncate } from "@triptych/util";
import { titleOf } from "../finding.ts";
import { MANIFEST, readManifest, scopeOf, scopesElsewhere, type Manifest } from "../reading/npm-packages.ts";
import { foundBy, type Check, type RawFinding } from "./check.ts";
import { lineOf } from "./update-finding.ts";
import { isDeprecated } from "./choose-versions.ts";
import type { Advisories, Packument } from "./registry.ts";

export const depsVulnerable: Check = {
  name: "deps_vulnerable",
  async run({ tree, registry }) {
    const manifest = await readManifest(tree);
    const elsewhere = await scopesElsewhere(tree);
    const used = Object.fromEntries(
      Object.entries(manifest === null ? {} : versionsOf(manifest)).filter(
        ([name]) => !elsewhere.has(scopeOf(name) ?? ""),
      ),
    );
    if (manifest === null || Object.keys(used).length === 0) return foundBy("deps_vulnerable", SCORE, []);
    const client = await registry();
    const advisories = await client.advisories(used);
    const roughs: (RawFinding & { readonly weight: number })[] = [];
    const missed: string[] = [];
    const lockPath = manifest.lock?.path ?? null;
    const texts = {
      manifest: (await tree.read(MANIFEST)) ?? "",
      lock: lockPath === null ? "" : ((await tree.read(lockPath)) ?? ""),
      lockPath: lockPath ?? MANIFEST,
    };
    for (const name of Object.keys(advisories).toSorted()) {
      const about = { name, used: used[name] ?? [], advisories: advisories[name] };
      if (about.used.length === 0 || about.advisories.length === 0) continue;
      const fixed = fixedIn(await client.find(name), about);
      if (fixed === null) missed.push(`${name} has a known vulnerability and no fixed version`);
      else roughs.push(roughOf(about, fixed, texts));
    }
    roughs.sort((one, other) => other.weight - one.weight || (one.title < other.title ? -1 : 1));
    return foundBy("deps_vulnerable", SCORE, roughs, missed);
  },
};

const SCORE = 0.9;
const SEVERITIES = ["info", "low", "moderate", "high", "critical"];

/** The locked version; without a lock file, the minimum of the range. */
function versionsOf({ lock, dependencies }: Manifest): Readonly<Record<string, readonly string[]>> {
  if (lock !== null && lock.versions.size > 0) return Object.fromEntries(lock.versions);
  return Object.fromEntries(
    dependencies.flatMap(({ name, version }) => (version === null ? [] : [[name, [version]] as const])),
  );
}

interface Weakness {
  readonly name: string;
  readonly used: readonly string[];
  readonly advisories: Advisories[string];
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

interface Texts {
  readonly manifest: string;
  readonly lock: string;
  readonly lockPath: string;
}

function roughOf(
  { name, used, advisories }: Weakness,
  fixed: string,
  texts: Texts,
): RawFinding & { readonly weight: number } {
  const weight = Math.max(...advisories.map(({ severity }) => SEVERITIES.indexOf(severity)));
  const direct = lineOf(texts.manifest, name);
  const inLock = lineOf(texts.lock, `node_modules/${name}`);
  return {
    weight,
    key: [name, ...advisories.map(({ url }) => url).toSorted()],
    title: titleOf(
      `Update ${name} to ${fixed} (${advisories[0].title})`,
      `Update ${name} to ${fixed} (security)`,
      `Update ${name} (security)`,
    ),
    focus: truncate(
      `Update ${name} (${used.join(", ")}) to ${fixed} or newer everywhere${direct === null ? "; it is a transitive dependency: update the package that requires it, or override it" : ", in package.json and in the lock file"}. Advisories:\n\n${advisories.map(({ severity, title, url }) => `- ${severity}: ${title} (${url})`).join("\n")}`,
      4_000,
    ),
    gate: gateLine("dep-at-least", name, fixed, "--everywhere"),
    category: "security",
    rationale: `${advisories.length === 1 ? "One advisory affects it" : `${advisories.length} advisories affect it`}: ${SEVERITIES[weight] ?? "unknown"} is the highest severity.`,
    effort: "s",
    risk: "low",
    evidence: [
      direct === null
        ? { path: texts.lockPath, line: inLock, excerpt: name }
        : { path: MANIFEST, line: direct, excerpt: name },
    ],
  };
}
