/**
 * Cron patterns of five fields (minute, hour, day of month, month, weekday), or one of four names, and the wall times that they match. A
 * wall time is encoded as milliseconds as if the clock were UTC; `cron-times.ts` maps it to instants of a zone. Croner's own zone support
 * drops list entries within the daylight saving gap. With both days restricted, either one matches.
 */
import { Cron as Pattern } from "croner";

export interface Cron {
  /** The first matching wall time after this one; null if none exists. */
  readonly nextWall: (after: number) => number | null;
  /** An interval of minutes or hours: where clocks go back, it also runs in the repeated hour. */
  readonly isInterval: boolean;
  /** Runs in every existing hour, so no time is lost in a skipped hour. */
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
  /** Names of three letters each; the first one means `from`. */
  readonly names: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS = [
  { name: "minute", from: 0, to: 59, names: [] },
  { name: "hour", from: 0, to: 23, names: [] },
  { name: "day of month", from: 1, to: 31, names: [] },
  { name: "month", from: 1, to: 12, names: MONTHS },
  // 7 is Sunday too.
  { name: "weekday", from: 0, to: 7, names: WEEKDAYS },
] as const satisfies readonly Field[];

export function readCron(text: string): CronRead {
  const written = text.trim().toLowerCase();
  const parts = (NAMED.get(written) ?? written).split(/\s+/);
  if (parts.length !== FIELDS.length || written === "")
    return bad(`a pattern has five fields, or is one of ${[...NAMED.keys()].join(" ")}`);
  for (const [index, field] of FIELDS.entries()) {
    const issue = errorOf(parts[index] ?? "", field);
    if (issue !== null) return bad(`${issue} in the ${field.name} field`);
  }
  const cron = cronOf(parts);
  return cron.nextWall(0) === null ? bad("it matches no date and would never run") : { kind: "read", cron };
}

function bad(why: string): CronRead {
  return { kind: "bad", why };
}

/** Stricter than croner: refuses its seconds and last-day letters. Null for a valid field. */
function errorOf(text: string, field: Field): string | null {
  for (const item of text.split(",")) {
    const [range = "", step, more] = item.split("/");
    const [first = "", last, third] = range.split("-");
    if (more !== undefined || third !== undefined || item === "") return `"${quoted(item)}" is not a value or range`;
    const from = range === "*" ? field.from : valueOf(first, field);
    const to = range === "*" ? field.to : last === undefined ? from : valueOf(last, field);
    if (from === null || to === null) return `"${quoted(item)}" is outside ${field.from}-${field.to}`;
    if (from > to) return `"${quoted(item)}" ends before it starts`;
    const every = step === undefined ? 1 : Number(step);
    if (step !== undefined && (!/^\d{1,2}$/.test(step) || every < 1 || every > field.to))
      return `"${quoted(item)}" has a step outside 1-${field.to}`;
    if (step !== undefined && range !== "*" && last === undefined)
      return `"${quoted(item)}" has a step without a range: put a range or * before it`;
  }
  return null;
}

function quoted(item: string): string {
  return item.slice(0, 20);
}

function valueOf(text: string, { from, to, names }: Field): number | null {
  const index = names.indexOf(text);
  const value = index >= 0 ? index + from : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= from && value <= to ? value : null;
}

function cronOf(parts: readonly string[]): Cron {
  const [minute = "", hour = ""] = parts;
  const pattern = new Pattern(parts.join(" "), { timezone: "UTC", paused: true, mode: "5-part" });
  return {
    nextWall: (after) => pattern.nextRun(new Date(after))?.getTime() ?? null,
    isInterval: /[*/]/.test(minute) || /[*/]/.test(hour),
    isHourly: hour === "*",
  };
}
