/**
 * Instants of a cron pattern in a time zone. Where clocks go forward, times within the gap are due once, at the first minute after it; an
 * hourly pattern misses nothing and is not moved. Where clocks go back, a repeated time is due at its first occurrence; interval patterns
 * continue.
 */
import type { Cron } from "./cron.ts";

export interface CronTimes {
  readonly next: NextTime;
}

interface ZonedCron {
  readonly cron: Cron;
  readonly zone: string;
}

export function timetableOf(zonedCron: ZonedCron): CronTimes {
  return { next: rememberNext((after) => nextTime(zonedCron, after)) };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

function nextTime({ cron, zone }: ZonedCron, after: number): number | null {
  let best: number | null = null;
  // Clocks may go back within the day: the wall times since then repeat.
  let wall = cron.nextWall(after + Math.min(offsetAt(zone, after), offsetAt(zone, after + DAY_MS)));
  for (; wall !== null; wall = cron.nextWall(wall)) {
    // Transitions of a zone are more than two days apart, so a day on either side meets at most one.
    const [before, behind] = [offsetAt(zone, wall - DAY_MS), offsetAt(zone, wall + DAY_MS)];
    if (best !== null && wall - Math.max(before, behind) > best) return best;
    for (const at of instantsOf({ cron, zone }, wall, { before, behind }))
      if (at > after) best = Math.min(best ?? at, at);
    // Away from transitions, wall time increases with real time.
    if (best !== null && before === behind) return best;
  }
  return best;
}

export function nextTimes(timetable: CronTimes, after: number, most: number): readonly number[] {
  const times: number[] = [];
  for (let at = timetable.next(after); at !== null && times.length < most; at = timetable.next(at)) times.push(at);
  return times;
}

/** The last instant up to `upTo`, where `known` is a lower bound. Bisects, so the number of instants between does not matter. */
export function lastTime(
  { next }: CronTimes,
  { since, upTo }: { readonly since: number; readonly upTo: number },
): number {
  let [last, end] = [since, upTo];
  // `end` is exclusive; all instants are whole minutes.
  while (end - last >= MINUTE_MS) {
    const middle = last + Math.floor((end - last) / 2);
    const at = next(middle);
    if (at !== null && at <= upTo) last = at;
    else end = middle;
  }
  return last;
}

interface Offsets {
  readonly before: number;
  readonly behind: number;
}

function instantsOf({ cron, zone }: ZonedCron, wall: number, { before, behind }: Offsets): readonly number[] {
  if (before === behind) return [wall - before];
  const early = wall - Math.max(before, behind);
  const late = wall - Math.min(before, behind);
  const instants = [early, late].filter((at) => at + offsetAt(zone, at) === wall);
  if (instants.length > 0) return cron.isInterval ? instants : instants.slice(0, 1);
  return cron.isHourly ? [] : [firstInstantWithOffset(zone, behind, { early, late })];
}

/** Bisects for the first minute of a new offset. */
function firstInstantWithOffset(
  zone: string,
  offset: number,
  { early, late }: { readonly early: number; readonly late: number },
) {
  let [without, having] = [early, late];
  while (having - without > MINUTE_MS) {
    const middle = without + Math.floor((having - without) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(zone, middle) === offset) having = middle;
    else without = middle;
  }
  return having;
}

/** Creating a formatter costs thirty times as much as using it. With some hundred zones the cache stays small. */
const CLOCKS = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const name = zone.toLowerCase();
  const cached = CLOCKS.get(name);
  if (cached !== undefined) return cached;
  const clock = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  CLOCKS.set(name, clock);
  return clock;
}

const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function offsetAt(zone: string, at: number): number {
  const [, sign, hours, minutes, seconds = 0] = OFFSET.exec(clockOf(zone).format(at)) ?? [];
  if (sign === undefined) return 0;
  const ms = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1_000;
  return sign === "-" ? -ms : ms;
}

/** An IANA zone; an offset like `+01:00` is rejected because it has no daylight saving time. */
export function isZone(name: string): boolean {
  if (!/^[a-z][\w+-]*(\/[\w+-]+)*$/i.test(name)) return false;
  try {
    clockOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The next instant after a moment; null if none exists. */
export type NextTime = (after: number) => number | null;

/** Enough for the five next runs of a response. */
const REMEMBERED = 16;

/**
 * Caches the last consecutive instants for callers that query near the same time. The intervals between two cached instants are known to be
 * empty.
 */
export function rememberNext(next: NextTime): NextTime {
  /** Nothing is due between this and the first of `cached`. */
  let from = 0;
  let cached: readonly number[] = [];
  return (after) => {
    const last = cached.at(-1);
    if (last !== undefined && after >= from && after < last) return cached.find((moment) => moment > after) ?? null;
    const moment = next(after);
    if (moment === null) return null;
    if (after === last) {
      cached = [...cached, moment];
      if (cached.length > REMEMBERED) [from = moment, ...cached] = cached;
    } else {
      if (moment !== cached[0]) cached = [moment];
      from = after;
    }
    return moment;
  };
}
