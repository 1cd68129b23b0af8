/** Formats durations, times, money and tokens. Pure: the current time is a parameter. */
import { locale, t } from "../i18n.ts";

/** Like `duration`, but with `340 ms` below a second, for checks and latencies. */
export function exactDuration(ms: number): string {
  return ms < 1_000 ? `${Math.max(0, Math.round(ms))} ms` : duration(ms);
}

/** `1 min 04 s`, `2 h 05 min`, `3 d 04 h`, `1 h`; `< 1 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return "< 1 s";
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 10 && ms % 1_000 >= 50) return `${decimal(ms / 1_000, 1)} s`;
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return hours === 0 ? t("{days} d", { days }) : `${t("{days} d", { days })} ${two(hours)} h`;
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${two(minutes)} min`;
  if (minutes > 0) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${two(seconds % 60)} s`;
  return `${seconds} s`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** `now`, `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`; `in 5 min` for the future. */
export function ago(at: number, now: number): string {
  const ms = Math.abs(now - at);
  if (ms < 5_000) return t("now");
  const time = coarse(ms);
  return at > now ? t("in {time}", { time }) : t("{time} ago", { time });
}

function coarse(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return t("{days} d", { days: Math.floor(seconds / 86_400) });
}

/** Micro-euros: `€0.0120`, `0,0120 €`; from a hundred euros on with cents only. */
export function money(micro: number): string {
  const euros = micro / 1_000_000;
  const digits = euros >= 100 ? 2 : 4;
  return euros.toLocaleString(locale, {
    style: "currency",
    currency: "EUR",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** `940`, `12.4k`, `3.1M`; in French `12,4 k`. */
export function short(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_950) return t("{count}k", { count: trim(count / 1_000) });
  return t("{count}M", { count: trim(count / 1_000_000) });
}

const trim = (value: number) => decimal(value, 0, value >= 100 ? 0 : 1);

function decimal(value: number, least: number, most = least): string {
  return value.toLocaleString(locale, {
    minimumFractionDigits: least,
    maximumFractionDigits: most,
    useGrouping: false,
  });
}

export function grouped(count: number): string {
  return count.toLocaleString(locale);
}

export function percent(share: number): string {
  return share.toLocaleString(locale, { style: "percent" });
}

export function sha(value: string): string {
  return value.slice(0, 8);
}

/** For values of the API that stand alone: `online` becomes `Online`. */
export function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
