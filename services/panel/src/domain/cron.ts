/**
 * Cron patterns of five fields (minute, hour, day of month, month, weekday), or one of four names, and the wall times that they match.
 * A wall time is what a clock on the wall shows, as milliseconds that count as if the clock stood in UTC; `timetable.ts` turns it
 * into instants of a zone. Both days restricted: either is enough, as everywhere.
 */

export interface Cron {
  /** Minutes of a day, rising. */
  readonly times: readonly number[];
  readonly isDay: (wall: number) => boolean;
  /** Says "every so often" in minute or hour: where the clock is set back, it goes on in the hour that comes twice. */
  readonly isInterval: boolean;
  /** Runs in each hour that there is, so it misses nothing of an hour that there is not. */
  readonly isHourly: boolean;
}

export type CronRead = { readonly kind: "read"; readonly cron: Cron } | { readonly kind: "bad"; readonly why: string };

const NAMED: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
]);

interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Three letters each, the first of them stands for `from`. */
  readonly words: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS = [
  { name: "minute", from: 0, to: 59, words: [] },
  { name: "hour", from: 0, to: 23, words: [] },
  { name: "day of month", from: 1, to: 31, words: [] },
  { name: "month", from: 1, to: 12, words: MONTHS },
  // 7 is Sunday too.
  { name: "weekday", from: 0, to: 7, words: WEEKDAYS },
] as const satisfies readonly Field[];

export function readCron(text: string): CronRead {
  const written = text.trim().toLowerCase();
  const parts = (NAMED.get(written) ?? written).split(/\s+/);
  if (parts.length !== FIELDS.length || written === "")
    return bad(`a pattern is five fields, or one of ${[...NAMED.keys()].join(" ")}`);
  const sets: ReadonlySet<number>[] = [];
  for (const [place, field] of FIELDS.entries()) {
    const part = parts[place] ?? "";
    const set = readField(part, field);
    if (typeof set === "string") return bad(`${set} in the field for the ${field.name}`);
    sets.push(set);
  }
  const cron = cronOf(parts, sets);
  return nextWall(cron, 0) === null ? bad("there is no day that it names: it would never run") : { kind: "read", cron };
}

function bad(why: string): CronRead {
  return { kind: "bad", why };
}

/** The values that a field allows, or what is wrong with it. */
function readField(text: string, field: Field): ReadonlySet<number> | string {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const [range = "", step, more] = item.split("/");
    const [first = "", last, third] = range.split("-");
    if (more !== undefined || third !== undefined || item === "") return `"${shown(item)}" is no value or range`;
    const from = range === "*" ? field.from : valueOf(first, field);
    const to = range === "*" ? field.to : last === undefined ? from : valueOf(last, field);
    if (from === null || to === null) return `"${shown(item)}" is not within ${field.from}-${field.to}`;
    if (from > to) return `"${shown(item)}" ends before it begins`;
    const every = step === undefined ? 1 : Number(step);
    if (step !== undefined && (!/^\d{1,2}$/.test(step) || every < 1 || every > field.to))
      return `"${shown(item)}" has no step within 1-${field.to}`;
    if (step !== undefined && range !== "*" && last === undefined)
      return `"${shown(item)}" has a step of nothing: write a range or * before it`;
    for (let value = from; value <= to; value += every) values.add(value);
  }
  return values;
}

function shown(item: string): string {
  return item.slice(0, 20);
}

function valueOf(text: string, { from, to, words }: Field): number | null {
  const place = words.indexOf(text);
  const value = place >= 0 ? place + from : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= from && value <= to ? value : null;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

function cronOf(parts: readonly string[], sets: readonly ReadonlySet<number>[]): Cron {
  const [minute = "", hour = "", day = "", , weekday = ""] = parts;
  const [minutes = EMPTY, hours = EMPTY, days = EMPTY, months = EMPTY, weekdays = EMPTY] = sets;
  const [anyDay, anyWeekday] = [day === "*", weekday === "*"];
  const rising = (set: ReadonlySet<number>) => [...set].toSorted((a, b) => a - b);
  return {
    times: rising(hours).flatMap((hour) => rising(minutes).map((minute) => hour * 60 + minute)),
    isDay(wall) {
      const at = new Date(wall);
      if (!months.has(at.getUTCMonth() + 1)) return false;
      const isDay = days.has(at.getUTCDate());
      const isWeekday = weekdays.has(at.getUTCDay()) || (at.getUTCDay() === 0 && weekdays.has(7));
      if (anyDay || anyWeekday) return isDay && isWeekday;
      return isDay || isWeekday;
    },
    isInterval: /[*/]/.test(minute) || /[*/]/.test(hour),
    isHourly: hour === "*",
  };
}

const EMPTY: ReadonlySet<number> = new Set();
/** From one 29 February to the next there may be eight years. */
const DAYS_MAX = 9 * 366;

/** The first wall time after this one that matches; null where none ever does. */
export function nextWall({ times, isDay }: Cron, after: number): number | null {
  const first = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const today = Math.floor(first / DAY_MS) * DAY_MS;
  for (let day = today; day <= today + DAYS_MAX * DAY_MS; day += DAY_MS) {
    if (!isDay(day)) continue;
    const time = times.find((minute) => day + minute * MINUTE_MS >= first);
    if (time !== undefined) return day + time * MINUTE_MS;
  }
  return null;
}
