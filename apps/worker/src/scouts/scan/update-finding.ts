/** Titles, focus and gates of dependency updates. */
import semver from "semver";
import { truncate } from "@triptych/util";
import { gateLine } from "../gate-command/gate-protocol.ts";
import { titleOf } from "../finding.ts";
import { MANIFEST } from "../reading/npm-packages.ts";
import type { RawFinding } from "./check.ts";
import { isBreaking, isDeprecated } from "./choose-versions.ts";
import type { Packument } from "./registry.ts";
import type { AgeRule } from "./release-age.ts";
import type { Update } from "./update-groups.ts";

export interface UpdateText {
  /** Paths of manifests, and their texts for the lines of the evidence. */
  readonly manifests: ReadonlyMap<string, string>;
  /** Whether it is the group of a manifest rather than packages that need each other. */
  readonly isGroup: boolean;
  /** Whether breaking updates of its packages are separate candidates. */
  readonly isCompatibleOnly: boolean;
  readonly age: AgeRule;
}

export function updateFinding(updates: readonly Update[], text: UpdateText): RawFinding {
  const { manifests, isGroup, age } = text;
  const paths = [...manifests.keys()];
  const included = isGroup ? fitting(updates, text) : updates;
  const isRisky = included.some((update) => update.isBreaking);
  const list = included.map(({ name, from, to }) => `${name} from ${from} to ${to}`);
  const adapt = isRisky
    ? "This may be a breaking change: read the release notes and adapt the calling code."
    : "Adapt the calling code where the API changed.";
  const exactly =
    age.days === 0
      ? ""
      : ` Use exactly ${included.length === 1 ? "this version" : "these versions"}: newer releases may be younger than ${days(age)}.`;
  const where = paths.join(", ");
  return {
    key: keyOf(included, text),
    title: titleFor(included, text),
    focus: truncate(
      `Update ${list.join(", ")}${included.length > 1 ? " together" : ""}, in ${where} and, where there is one, in the lock file. ${adapt}${exactly}`,
      4_000,
    ),
    gate: gateFor(included, text),
    category: "deps",
    rationale: truncate(included.map((update) => rationaleFor(update, text)).join("\n"), 2_000),
    effort: isRisky ? "m" : "s",
    risk: isRisky ? "medium" : "low",
    evidence: included
      .flatMap(({ name, range }) =>
        paths.flatMap((path) => {
          const line = lineOf(manifests.get(path) ?? "", name);
          return line === null && paths.length > 1 ? [] : [{ path, line, excerpt: `${name}: ${range}` }];
        }),
      )
      .slice(0, 10),
  };
}

/** The identity of a manifest's group, which stays the same while the updates change. */
export const GROUP_KEY = "group";

/**
 * A newer release of the same major version is the same work. The panel applies rejections of a package or of a major version. The path
 * tells equal updates of several manifests apart where they could not be merged.
 */
function keyOf(updates: readonly Update[], { manifests, isGroup }: UpdateText): readonly string[] {
  const [path = MANIFEST] = manifests.keys();
  if (isGroup) return [path, GROUP_KEY];
  const packages = updates.flatMap(({ name, to }) => [name, String(semver.major(to))]);
  return path === MANIFEST || manifests.size > 1 ? packages : [path, ...packages];
}

/** Longest command of a gate in the contract, with room for quotes. */
const GATE_LENGTH_MAX = 1_900;

function gateFor(updates: readonly Update[], { manifests, age }: UpdateText): string {
  const paths = [...manifests.keys()];
  const isRootOnly = paths.length === 1 && paths[0] === MANIFEST;
  return gateLine(
    "dep-at-least",
    ...updates.flatMap(({ name, to }) => [name, to]),
    ...(isRootOnly ? [] : paths.flatMap((path) => ["--in", path])),
    ...(age.days === 0 ? [] : ["--min-age", String(age.days)]),
  );
}

/** The most important updates. The next scan proposes the rest after these were delivered. */
function fitting(updates: readonly Update[], text: UpdateText): readonly Update[] {
  let count = updates.length;
  while (count > 1 && gateFor(updates.slice(0, count), text).length > GATE_LENGTH_MAX) count--;
  return updates.slice(0, count);
}

function titleFor(updates: readonly Update[], { manifests, isGroup }: UpdateText): string {
  const [first] = updates;
  const names = updates.map(({ name }) => name);
  const paths = [...manifests.keys()];
  const [folder = ""] = /^.+(?=\/)/.exec(paths[0] ?? "") ?? [];
  const where = paths.length > 1 ? ` in ${paths.length} packages` : folder === "" ? "" : ` in ${folder}`;
  const shorter = paths.length > 1 || folder === "" ? where : ` in ${folder.slice(folder.lastIndexOf("/") + 1)}`;
  const places = (...texts: readonly string[]) =>
    [where, shorter, ""].flatMap((place) => texts.map((text) => text + place));
  const isSameVersion = updates.every(({ to }) => to === first.to);
  if (updates.length === 1) {
    const { name, from, to, majors } = first;
    const behind = majors === 0 ? "" : `, ${majors} major${majors === 1 ? "" : "s"}`;
    return titleOf(
      ...(where === "" ? [`Update ${name} to ${to} (from ${from}${behind})`] : []),
      ...places(`Update ${name} to ${to}`),
      `Update ${name}`,
    );
  }
  const all = `Update ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  if (isGroup) {
    const isMinor = updates.every((update) => !update.isBreaking);
    return titleOf(
      ...(updates.length <= 3 ? places(all) : []),
      ...places(`Update ${updates.length} ${isMinor ? "dependencies to compatible versions" : "dependencies"}`),
      `Update ${updates.length} dependencies`,
    );
  }
  const some = `Update ${first.name} to ${first.to} with ${updates.length - 1} related package${updates.length === 2 ? "" : "s"}`;
  return titleOf(
    ...(isSameVersion ? places(`${all} to ${first.to}`) : []),
    ...places(some),
    `Update ${first.name} and related packages`,
  );
}

function rationaleFor(update: Update, { age, isCompatibleOnly }: UpdateText): string {
  const { name, from, to, majors, days: apart, packument } = update;
  const { latest } = packument["dist-tags"];
  const behind =
    majors === 0
      ? update.isBreaking
        ? "another version below 1.0.0"
        : "the same major version"
      : `${majors} major version${majors === 1 ? "" : "s"} behind`;
  const newest =
    to === latest
      ? ""
      : !age.isMet(packument, latest)
        ? ` ${latest} is newer, but younger than ${days(age)}.`
        : isCompatibleOnly && isBreaking(from, latest)
          ? ` ${latest} may be a breaking change and is not part of this update.`
          : ` ${latest} is newer, but does not fit the supported Node, the peers or the update rules of this repository.`;
  const deprecated = deprecationOf(name, packument);
  return `${name} is at ${from}, ${to} is available: ${behind}${apart > 0 ? `, released ${apart} days apart` : ""}.${newest}${deprecated === null ? "" : ` According to the registry, ${deprecated}.`}`;
}

function days({ days: count }: AgeRule): string {
  return `${count} day${count === 1 ? "" : "s"}`;
}

export function deprecationOf(name: string, packument: Packument): string | null {
  const deprecated = packument.versions[packument["dist-tags"].latest]?.deprecated;
  if (!isDeprecated(deprecated)) return null;
  const why = typeof deprecated === "string" ? `: ${truncate(deprecated.replaceAll(/\s+/g, " ").trim(), 200)}` : "";
  return `${name} is deprecated${why}`;
}

export function lineOf(text: string, name: string): number | null {
  const index = text.split("\n").findIndex((line) => line.includes(`${JSON.stringify(name)}:`));
  return index === -1 ? null : index + 1;
}
