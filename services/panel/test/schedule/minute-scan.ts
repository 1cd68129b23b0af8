/** A naive model of due times: checks the zone's clock in every minute, without offsets. Numbers only, no names. */
const MINUTE_MS = 60_000;

export interface Minute {
  readonly at: number;
  /** Wall time; increases except at a clock change. */
  readonly wall: number;
}

export function minutesOf(
  zone: string,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Minute[] {
  const clock = new Intl.DateTimeFormat("en-US", { timeZone: zone, ...FORMAT });
  const minutes: Minute[] = [];
  for (let at = from; at < to; at += MINUTE_MS) {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (clock.format(at).match(/\d+/g) ?? []).map(Number);
    minutes.push({ at, wall: Date.UTC(year, month - 1, day, hour, minute) });
  }
  return minutes;
}

const FORMAT = {
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
} as const;

/** Minutes with a clock change start some hours before it. */
export function scan(pattern: string, minutes: readonly Minute[]): readonly number[] {
  const [minuteField = "", hourField = ""] = pattern.split(" ");
  const isInterval = /[*/]/.test(minuteField + hourField);
  const matches = matching(pattern);
  const due: number[] = [];
  let before = minutes[0]?.wall ?? 0;
  let highest = before - MINUTE_MS;
  for (const { at, wall } of minutes) {
    let isDue = matches(wall) && (wall > highest || isInterval);
    if (hourField !== "*")
      for (let skipped = before + MINUTE_MS; skipped < wall; skipped += MINUTE_MS) isDue ||= matches(skipped);
    if (isDue) due.push(at);
    before = wall;
    highest = Math.max(highest, wall);
  }
  return due;
}

function matching(pattern: string): (wall: number) => boolean {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = pattern.split(" ");
  const values = Array.from({ length: 60 }, (_, value) => value);
  const of = (field: string, least = 0) => new Set(values.filter((value) => allows(field, value, least)));
  const [minutes, hours, days, months, weekdays] = [of(minute), of(hour), of(day, 1), of(month, 1), of(weekday)];
  const areBoth = day !== "*" && weekday !== "*";
  return (wall) => {
    const at = new Date(wall);
    if (!minutes.has(at.getUTCMinutes()) || !hours.has(at.getUTCHours())) return false;
    if (!months.has(at.getUTCMonth() + 1)) return false;
    const isDay = days.has(at.getUTCDate());
    const isWeekday = weekdays.has(at.getUTCDay()) || (at.getUTCDay() === 0 && weekdays.has(7));
    return areBoth ? isDay || isWeekday : isDay && isWeekday;
  };
}

function allows(field: string, value: number, least: number): boolean {
  return field.split(",").some((item) => {
    const [range = "", step = "1"] = item.split("/");
    const [from = 0, to = from] = range === "*" ? [least, 99] : range.split("-").map(Number);
    return value >= from && value <= to && (value - from) % Number(step) === 0;
  });
}
