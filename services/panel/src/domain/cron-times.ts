/**
 * When a cron pattern is due in a zone, as instants. Where the clock is set forward, what it names within the gap is due once, at the
 * first minute after it; a pattern of every hour misses nothing there and is not moved. Where the clock is set back, what comes twice
 * is due at its first occurrence; a pattern of intervals keeps on.
 */
import type { Cron } from "./cron.ts";
import { rememberNext, type Next } from "./memoize-next.ts";

export interface CronTimes {
  /** The first instant after this one; null where none is left. */
  readonly next: Next;
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
  // The clock may be set back within the day: from there on it shows again what it shows now.
  let wall = cron.nextWall(after + Math.min(offsetAt(zone, after), offsetAt(zone, after + DAY_MS)));
  for (; wall !== null; wall = cron.nextWall(wall)) {
    // No transitions of a zone are so near to each other that a day on either side meets two.
    const [before, behind] = [offsetAt(zone, wall - DAY_MS), offsetAt(zone, wall + DAY_MS)];
    if (best !== null && wall - Math.max(before, behind) > best) return best;
    for (const at of instantsOf({ cron, zone }, wall, { before, behind }))
      if (at > after) best = Math.min(best ?? at, at);
    // Away from transitions, what the clock shows later is later.
    if (best !== null && before === behind) return best;
  }
  return best;
}

export function nextTimes(timetable: CronTimes, after: number, most: number): readonly number[] {
  const times: number[] = [];
  for (let at = timetable.next(after); at !== null && times.length < most; at = timetable.next(at)) times.push(at);
  return times;
}

/** The last instant up to `upTo`, where `known` is one that is not after it. Halves what is left, however many lie between. */
export function lastTime(
  { next }: CronTimes,
  { since, upTo }: { readonly since: number; readonly upTo: number },
): number {
  let [last, end] = [since, upTo];
  // None is after `end`; and all of them are whole minutes.
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
  return cron.isHourly ? [] : [firstWith(zone, behind, { early, late })];
}

/** The first minute of a new offset, between an instant before it and one that has it. */
function firstWith(zone: string, offset: number, { early, late }: { readonly early: number; readonly late: number }) {
  let [without, having] = [early, late];
  while (having - without > MINUTE_MS) {
    const middle = without + Math.floor((having - without) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(zone, middle) === offset) having = middle;
    else without = middle;
  }
  return having;
}

/** Making one takes thirty times as long as asking it. There are some hundred zones, so it stays small. */
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

/** What the clocks of a zone are ahead of UTC at an instant. */
function offsetAt(zone: string, at: number): number {
  const [, sign, hours, minutes, seconds = 0] = OFFSET.exec(clockOf(zone).format(at)) ?? [];
  if (sign === undefined) return 0;
  const ms = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1_000;
  return sign === "-" ? -ms : ms;
}

/** A zone of the IANA data; an offset like `+01:00` is none: it knows no summer. */
export function isZone(name: string): boolean {
  if (!/^[a-z][\w+-]*(\/[\w+-]+)*$/i.test(name)) return false;
  try {
    clockOf(name);
    return true;
  } catch {
    return false;
  }
}
