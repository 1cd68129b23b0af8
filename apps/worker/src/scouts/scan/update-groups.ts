/** Dependencies that must be updated together, as one finding. */
import semver from "semver";
import { isNeededBy, type Choice } from "./choose-versions.ts";
import type { Packument } from "./registry.ts";

export interface Update extends Choice {
  readonly majors: number;
  /** Below 1.0.0 a minor version may be breaking. */
  readonly isBreaking: boolean;
  /** Between the release dates of the current and the new version. */
  readonly days: number;
}

const DAY_MS = 86_400_000;
const OLD_DAYS = 180;

/** Each group has at least one package that is behind by a major version or half a year; runtime dependencies come first. */
export function groupUpdates(choices: Iterable<Choice>): readonly (readonly Update[])[] {
  const updates = [...choices].filter(({ from, to }) => from !== to).map(measure);
  const groups: Update[][] = [];
  for (const update of updates.filter(isBehind)) {
    const members = withNeeded(update, updates);
    const touching = groups.filter((group) => group.some((other) => members.includes(other)));
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push([...new Set([...touching.flat(), ...members])]);
  }
  return groups.map((group) => group.toSorted(byImportance)).toSorted(([one], [other]) => byImportance(one, other));
}

function measure(choice: Choice): Update {
  const { from, to, packument } = choice;
  const days = Math.floor((dayOf(packument, to) - dayOf(packument, from)) / DAY_MS);
  const majors = semver.major(to) - semver.major(from);
  const isBreaking = majors > 0 || (semver.major(to) === 0 && semver.minor(to) > semver.minor(from));
  return { ...choice, majors, isBreaking, days: Number.isNaN(days) ? 0 : days };
}

/** NaN where the registry has no date. */
function dayOf({ time }: Packument, version: string): number {
  const publishedAt = time?.[version];
  return typeof publishedAt === "string" ? Date.parse(publishedAt) : NaN;
}

function isBehind({ majors, days }: Update): boolean {
  return majors > 0 || days > OLD_DAYS;
}

function withNeeded(update: Update, updates: readonly Update[]): readonly Update[] {
  const members = [update];
  for (const member of members)
    members.push(...updates.filter((other) => !members.includes(other) && isNeededBy(other, member)));
  return members;
}

function byImportance(one: Update, other: Update): number {
  return (
    Number(other.isRuntime) - Number(one.isRuntime) ||
    // Types are named after the package that they describe.
    Number(one.name.startsWith("@types/")) - Number(other.name.startsWith("@types/")) ||
    other.majors - one.majors ||
    other.days - one.days ||
    one.name.length - other.name.length ||
    (one.name < other.name ? -1 : 1)
  );
}
