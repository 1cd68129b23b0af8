/** Formats durations, times, money and tokens. Pure: the current time is a parameter. */

/** As `duration`, and `340 ms` below a second: for checks and latencies. */
export function exactDuration(ms: number): string {
  return ms < 1_000 ? `${Math.max(0, Math.round(ms))} ms` : duration(ms);
}

/** `1 min 04 s`, `2 h 05 min`, `3 d 04 h`, `1 h`; `< 1 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return "< 1 s";
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 10 && ms % 1_000 >= 50) return `${(ms / 1_000).toFixed(1)} s`;
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${two(hours)} h`;
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${two(minutes)} min`;
  if (minutes > 0) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${two(seconds % 60)} s`;
  return `${seconds} s`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** `now`, `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`; `in 5 min` for the future. */
export function ago(at: number, now: number): string {
  const ms = Math.abs(now - at);
  if (ms < 5_000) return "now";
  const text = coarse(ms);
  return at > now ? `in ${text}` : `${text} ago`;
}

function coarse(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Micro-euros: `€0.0120`; from a hundred euros on with cents only. */
export function money(micro: number): string {
  const euros = micro / 1_000_000;
  const digits = euros >= 100 ? 2 : 4;
  return `€${euros.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** `940`, `12.4k`, `3.1M`. */
export function short(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_950) return `${trim(count / 1_000)}k`;
  return `${trim(count / 1_000_000)}M`;
}

const trim = (value: number) => (value >= 100 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/, ""));

export function grouped(count: number): string {
  return count.toLocaleString("en-GB");
}

/** `1 run`, `3 runs`. */
export function counted(count: number, singular: string, many = `${singular}s`): string {
  return `${grouped(count)} ${count === 1 ? singular : many}`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

export function sha(value: string): string {
  return value.slice(0, 8);
}

/** For values of the API that stand alone: `online` as `Online`. */
export function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
