/** Reads dates and times. A date without a time zone is in UTC. */
import type { Cell } from "./text.ts";

interface Day {
  readonly year: string;
  readonly month?: string;
  readonly day?: string;
}

export function cleanDate(raw: string, cell: Cell): string | null {
  const text = raw.trim();
  if (text === "") return null;
  const found = dayOf(text.replace(/[T ]\d{2}:.*$/, ""));
  if (found === null) return dropped(raw, cell);
  return [found.year, found.month, found.day].filter((part) => part !== undefined).join("-");
}

export function cleanTime(raw: string, cell: Cell): string | null {
  const text = raw.trim();
  if (text === "") return null;
  if (isReady(text)) return text;
  const day = dayOf(text);
  if (day !== null) return `${day.year}-${day.month ?? "01"}-${day.day ?? "01"}T00:00:00.000Z`;

  const parts =
    /^(\S+?)(?:T|\s+(?:à\s+)?)(\d{1,2})[:h](\d{2})(?::(\d{2})(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2}(?::00)?)?$/i.exec(text);
  const date = parts === null ? null : dayOf(parts[1]);
  if (parts === null || date?.day === undefined) return dropped(raw, cell);
  const zone = (parts[6] ?? "Z").toUpperCase().replace(/^([+-]\d{2}):?(\d{2}).*$/, "$1:$2");
  const clock = `${parts[2].padStart(2, "0")}:${parts[3]}:${parts[4] ?? "00"}${(parts[5] ?? "").slice(0, 4)}`;
  const time = new Date(`${date.year}-${date.month}-${date.day}T${clock}${zone}`);
  return Number.isNaN(time.getTime()) ? dropped(raw, cell) : time.toISOString();
}

/** Fast path for machine-written, valid timestamps. */
function isReady(text: string): boolean {
  if (text.length !== 24 || text.startsWith("0000") || !text.endsWith("Z")) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** Year first with `-` or `/`, day first with `/`, `.` or `-`, or eight digits. Null for dates that do not exist. */
function dayOf(text: string): Day | null {
  const only = /^(\d{4})(?:\.0)?$/.exec(text);
  if (only !== null) return { year: only[1] };
  const yearFirst = /^(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?$/.exec(text) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(text);
  if (yearFirst !== null) return real(yearFirst[1], yearFirst[2], yearFirst[3]);
  const dayFirst = /^(?:(\d{1,2})[/.-])?(\d{1,2})[/.-](\d{4})$/.exec(text);
  return dayFirst === null ? null : real(dayFirst[3], dayFirst[2], dayFirst[1]);
}

function real(year: string, month: string, day: string | undefined): Day | null {
  const [monthNumber, dayNumber] = [Number(month), Number(day ?? "1")];
  const date = new Date(Date.UTC(Number(year), monthNumber - 1, dayNumber));
  const exists = date.getUTCMonth() === monthNumber - 1 && date.getUTCDate() === dayNumber;
  if (!exists || Number(year) === 0) return null;
  const two = month.padStart(2, "0");
  return day === undefined ? { year, month: two } : { year, month: two, day: day.padStart(2, "0") };
}

function dropped(raw: string, { column, notes }: Cell): null {
  notes.note("date_dropped", { column, value: raw });
  return null;
}
