/** Options of the key commands, and how their values are read. */
import type { DailyItems } from "@triptych/api-keys";
import { InvalidArgumentError, Option } from "commander";
import { PLANS } from "../domain/plans.ts";

export const DAY_MS = 86_400_000;

/** Milliseconds since the epoch. `never` is used instead of null, because Commander turns null into an empty string. */
export type Expiry = number | "never";

export function planOption(): Option {
  return new Option("--plan <plan>", "plan of the key").choices(Object.keys(PLANS));
}

export function dailyItemsOption(): Option {
  return new Option(
    "--daily-items <number>",
    "items per UTC day: a number, `none` for no limit, `plan` for the plan's limit",
  ).argParser(parseDailyItems);
}

export function expiresOption(): Option {
  return new Option("--expires <date>", "expiry: 2027-01-31 (end of day, UTC), a full timestamp, or `never`").argParser(
    parseExpiry,
  );
}

function parseDailyItems(text: string): DailyItems {
  if (text === "none" || text === "plan") return text;
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError("Expected a whole number, `none` or `plan`.");
  return Number(text);
}

const DATE_OR_TIMESTAMP = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A timestamp requires a time zone, because the machine's own zone may differ. Rejects dates that do not exist. */
function parseExpiry(text: string): Expiry {
  if (text === "never") return text;
  const [, day, timeOfDay] = DATE_OR_TIMESTAMP.exec(text) ?? [];
  const time = day !== undefined && isCalendarDate(day) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError(
      "Expected a date such as 2027-01-31, a timestamp such as 2027-01-31T12:00:00Z, or `never`.",
    );
  return timeOfDay === undefined ? time + DAY_MS : time;
}

/** `Date.parse` reads 30 February as 2 March. */
function isCalendarDate(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

export function toExpiresAt(expires: Expiry): number | null {
  return expires === "never" ? null : expires;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };

export function parseGrace(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (text === "0") return 0;
  if (count === undefined || unit === undefined)
    throw new InvalidArgumentError("Expected a duration such as 30m, 24h, 7d, or 0.");
  return Number(count) * (UNITS[unit] ?? 0);
}
