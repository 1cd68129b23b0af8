/** Money, numbers and times in the language of the page. */
import type { Language } from "./i18n.ts";

const MICRO = 1_000_000;

export type Format = ReturnType<typeof createFormat>;

export function createFormat(language: Language) {
  /** As many decimals as the amount needs: cents, hundredths of cents (a decision costs five), micro-euros. */
  const [cents, hundredths, micros] = [2, 4, 6].map(
    (digits) => new Intl.NumberFormat(language, { style: "currency", currency: "EUR", minimumFractionDigits: digits }),
  );
  const counts = new Intl.NumberFormat(language);
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, options);
  const [moments, days, utcDays, utcMoments] = [
    dates({ dateStyle: "medium", timeStyle: "medium" }),
    dates({ dateStyle: "medium" }),
    dates({ dateStyle: "medium", timeZone: "UTC" }),
    dates({ dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
  ];
  const finest = (micro: number) => (micro % 100 === 0 ? hundredths : micros);
  /** For a column: whole cents get as many decimals as decisions. */
  const columnEuro = (micro: number) => finest(micro).format(micro / MICRO);
  return {
    euro: (micro: number) => (micro % 10_000 === 0 ? cents : finest(micro)).format(micro / MICRO),
    columnEuro,
    change: (micro: number) => `${micro < 0 ? "\u2212" : "+"}${columnEuro(Math.abs(micro))}`,
    count: (value: number) => counts.format(value),
    time: (text: string) => moments.format(new Date(text)),
    day: (text: string) => days.format(new Date(text)),
    /** A UTC day, such as `2026-11-27`. */
    utcDay: (text: string) => utcDays.format(new Date(text)),
    utcTime: (time: number) => `${utcMoments.format(time)} UTC`,
  };
}
