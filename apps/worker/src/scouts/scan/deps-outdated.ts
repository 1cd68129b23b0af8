/** Direct dependencies that are behind by a major version, or by half a year. */
import semver from "semver";
import { gateLine } from "../gate-command/gate-protocol.ts";
import { truncate } from "@triptych/util";
import { titleOf } from "../finding.ts";
import { MANIFEST, readManifest, type Dependency } from "../reading/npm-packages.ts";
import { readUpdateRules } from "../reading/update-rules.ts";
import { foundBy, type Check, type RawFinding } from "./check.ts";
import { chooseVersions, isDeprecated } from "./choose-versions.ts";
import type { Packument, Registry } from "./registry.ts";
import { groupUpdates, type Update } from "./update-groups.ts";

export const depsOutdated: Check = {
  name: "deps_outdated",
  async run({ tree, registry }) {
    const manifest = await readManifest(tree);
    if (manifest === null || manifest.dependencies.length === 0) return foundBy("deps_outdated", SCORE, []);
    const packuments = await findAll(manifest.dependencies, await registry());
    const choices = chooseVersions(packuments, { node: manifest.node, isIgnored: await readUpdateRules(tree) });
    const groups = groupUpdates(choices.values());
    const text = (await tree.read(MANIFEST)) ?? "";
    const updated = new Set(groups.flatMap((group) => group.map(({ name }) => name)));
    const deprecations = packuments.flatMap(([{ name }, packument]) =>
      updated.has(name) ? [] : (deprecationOf(name, packument) ?? []),
    );
    return foundBy(
      "deps_outdated",
      SCORE,
      groups.map((group) => roughOf(group, text)),
      deprecations,
    );
  },
};

const SCORE = 0.55;
const AT_ONCE = 8;

async function findAll(dependencies: readonly Dependency[], registry: Registry) {
  const packuments: (readonly [Dependency, Packument])[] = [];
  for (let at = 0; at < dependencies.length; at += AT_ONCE) {
    const some = dependencies.slice(at, at + AT_ONCE);
    const found = await Promise.all(some.map(({ name }) => registry.find(name)));
    for (const [index, packument] of found.entries()) if (packument !== null) packuments.push([some[index], packument]);
  }
  return packuments;
}

function deprecationOf(name: string, packument: Packument): string | null {
  const deprecated = packument.versions[packument["dist-tags"].latest]?.deprecated;
  if (!isDeprecated(deprecated)) return null;
  const why = typeof deprecated === "string" ? `: ${truncate(deprecated.replaceAll(/\s+/g, " ").trim(), 200)}` : "";
  return `${name} is deprecated${why}`;
}

function roughOf(group: readonly Update[], manifest: string): RawFinding {
  const isBreaking = group.some((update) => update.isBreaking);
  const list = group.map(({ name, from, to }) => `${name} from ${from} to ${to}`);
  const adapt = isBreaking
    ? "This may be a breaking change: read the release notes and adapt the calling code."
    : "Adapt the calling code where the API changed.";
  return {
    // A newer release of the same major version is the same work. The panel applies rejections of a package or of a major version.
    key: group.flatMap(({ name, to }) => [name, String(semver.major(to))]),
    title: titleFor(group),
    focus: truncate(
      `Update ${list.join(", ")}${group.length > 1 ? " together" : ""}, in package.json and, where there is one, in the lock file. ${adapt}`,
      4_000,
    ),
    gate: gateLine("dep-at-least", ...group.flatMap(({ name, to }) => [name, to])),
    category: "deps",
    rationale: truncate(group.map(rationaleFor).join(" "), 2_000),
    effort: isBreaking ? "m" : "s",
    risk: isBreaking ? "medium" : "low",
    evidence: group.slice(0, 10).map(({ name, range }) => ({
      path: MANIFEST,
      line: lineOf(manifest, name),
      excerpt: `${name}: ${range}`,
    })),
  };
}

function titleFor(group: readonly Update[]): string {
  const [first] = group;
  const names = group.map(({ name }) => name);
  const isSameVersion = group.every(({ to }) => to === first.to);
  if (group.length === 1) {
    const { name, from, to, majors } = first;
    const behind = majors === 0 ? "" : `, ${majors} major${majors === 1 ? "" : "s"}`;
    return titleOf(`Update ${name} to ${to} (from ${from}${behind})`, `Update ${name} to ${to}`, `Update ${name}`);
  }
  const all = `Update ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  const some = `Update ${first.name} to ${first.to} with ${group.length - 1} related package${group.length === 2 ? "" : "s"}`;
  return titleOf(
    ...(isSameVersion ? [`${all} to ${first.to}`] : []),
    some,
    `Update ${first.name} and related packages`,
  );
}

function rationaleFor({ name, from, to, majors, isBreaking, days, packument }: Update): string {
  const { latest } = packument["dist-tags"];
  const behind =
    majors === 0
      ? isBreaking
        ? "another version below 1.0.0"
        : "the same major version"
      : `${majors} major version${majors === 1 ? "" : "s"} behind`;
  const newest =
    to === latest
      ? ""
      : ` ${latest} is newer, but does not fit the supported Node, the peers or the update rules of this repository.`;
  const deprecated = deprecationOf(name, packument);
  return `${name} is at ${from}, ${to} is available: ${behind}${days > 0 ? `, released ${days} days apart` : ""}.${newest}${deprecated === null ? "" : ` According to the registry, ${deprecated}.`}`;
}

export function lineOf(text: string, name: string): number | null {
  const index = text.split("\n").findIndex((line) => line.includes(`${JSON.stringify(name)}:`));
  return index === -1 ? null : index + 1;
}
