/** Dependencies that must be updated together, as one finding. */
import semver from "semver";
import { isBreaking, isNeededBy, type Choice } from "./choose-versions.ts";
import { releasedAt } from "./release-age.ts";

export interface Update extends Choice {
  readonly majors: number;
  /** Below 1.0.0 a minor version may be breaking. */
  readonly isBreaking: boolean;
  /** Between the release dates of the current and the new version. */
  readonly days: number;
}

/** Whether an update is worth a change by itself; others only come with updates that need them. */
export type IsUseful = (update: Choice) => boolean;

const DAY_MS = 86_400_000;
const OLD_DAYS = 180;

/** Each group has at least one package that is behind by a major version or half a year; runtime dependencies come first. */
export function groupUpdates(choices: Iterable<Choice>, isUseful: IsUseful): readonly (readonly Update[])[] {
  const updates = listUpdates(choices);
  const groups: Update[][] = [];
  for (const update of updates.filter((one) => isBehind(one) && isUseful(one))) {
    const members = withNeeded(update, updates);
    const touching = groups.filter((group) => group.some((other) => members.includes(other)));
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push([...new Set([...touching.flat(), ...members])]);
  }
  return groups.map((group) => group.toSorted(byImportance)).toSorted(([one], [other]) => byImportance(one, other));
}

/** All updates, if one of them is behind by a major version or half a year. */
export function oneGroup(choices: Iterable<Choice>, isUseful: IsUseful): readonly Update[] {
  const updates = listUpdates(choices).filter(isUseful);
  return updates.some(isBehind) ? updates.toSorted(byImportance) : [];
}

function listUpdates(choices: Iterable<Choice>): readonly Update[] {
  return [...choices].filter(({ from, to }) => from !== to).map(measure);
}

function measure(choice: Choice): Update {
  const { from, to, packument } = choice;
  const [before, after] = [releasedAt(packument, from), releasedAt(packument, to)];
  const days = before === null || after === null ? 0 : Math.floor((after - before) / DAY_MS);
  return { ...choice, majors: semver.major(to) - semver.major(from), isBreaking: isBreaking(from, to), days };
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
