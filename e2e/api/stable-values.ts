/**
 * Replaces what differs between two captures: IDs, secrets, times, digests, addresses and durations. The form of each
 * value stays, so that the examples still match their schemas.
 */
import { isRecord } from "@triptych/util";

export interface Replacements {
  /** Texts, such as the address of a service, mapped to their replacements. */
  readonly texts: ReadonlyMap<string, string>;
  readonly now: number;
}

/** Long lists are cut to this many entries; numbers, such as coordinates, stay. */
const ENTRIES_MAX = 3;
const shortened = (list: readonly unknown[]) =>
  list.every((entry) => typeof entry === "number") ? list : list.slice(0, ENTRIES_MAX);

export function stableValue(value: unknown, replacements: Replacements): unknown {
  const ids = new Map<string, string>();
  const visit = (each: unknown, key: string): unknown => {
    if (typeof each === "string") return stableText(each, key, { ...replacements, ids });
    if (typeof each === "number" || (each === null && key === "rtt_ms")) return NUMBERS[key] ?? each;
    if (Array.isArray(each)) return shortened(each).map((entry) => visit(entry, key));
    if (!isRecord(each)) return each;
    return Object.fromEntries(
      Object.entries(each).map(([name, member]) => [
        stableText(name, "", { ...replacements, ids }),
        visit(member, name),
      ]),
    );
  };
  return visit(value, "");
}

const NUMBERS: Readonly<Record<string, number>> = {
  agent_seconds: 0,
  bytes: 4_096,
  duration_ms: 1_200,
  latency_ms: 1,
  oldest_queued_s: 0,
  pending: 0,
  reset_seconds: 42,
  rtt_ms: 0.6,
  training_ms: 900,
  uptime_s: 3_600,
};

interface TextContext extends Replacements {
  readonly ids: Map<string, string>;
}

/** Past times stay past and future times stay in the future; periods begin with a month. */
function stableTime(time: string, key: string, now: number): string {
  const stable = Date.parse(time) > now + SOON_MS ? FUTURE : PAST;
  return key.startsWith("period_") ? `${stable.slice(0, 7)}-01T00:00:00.000Z` : stable;
}

const PAST = "2026-11-21T13:00:00.000Z";
const FUTURE = "2026-12-21T13:00:00.000Z";
const SOON_MS = 60_000;
const DIGEST = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
const SHORT_DIGEST = "A".repeat(22);
/** In CSV this is the hash of the previous entry. Elsewhere it must have a digit, because names of the same length have none. */
const SHORT_DIGESTS =
  /(?<=Z,)[A-Za-z0-9_-]{22}(?=,)|(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[0-9_-])[A-Za-z0-9_-]{22}(?![\w-])/g;

function stableText(text: string, key: string, { texts, now, ids }: TextContext): string {
  const day = new Date(now).toISOString().slice(0, 10);
  let result = text;
  for (const [from, to] of texts) result = result.replaceAll(from, to);
  if (key in TEXTS) return TEXTS[key] ?? "";
  if (key === "code" && result.length > SHORT_CODE_MAX) return "…";
  if (SECRETS.has(key) && !/^(lic|pnl|rail)_/.test(result)) return "…";
  return result
    .replaceAll(/\beyJ[\w-]+\.[\w-]*\.[\w-]+/g, "eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiJjaGcifQ.c2lnbmF0dXJl")
    .replaceAll(/\b((?:lic|pnl|rt|ct|tri|dir|rail)(?:_[a-z]{3,10})*)_[A-Za-z0-9_-]{24,}/g, "$1_…")
    .replaceAll(/\b([a-z]{2,5})_([0-9a-hjkmnp-tv-z]{26}|[0-9a-f]{32})\b/g, (id, prefix: string) =>
      stableId(ids, id, prefix),
    )
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) => stableTime(time, key, now))
    .replaceAll(day, PAST.slice(0, 10))
    .replaceAll(day.slice(0, 7), PAST.slice(0, 7))
    .replaceAll(/\b(\d+)-[0-9a-f]{12}\b/g, "$1-5b1f0c9d2e7a")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    .replaceAll(/\b[0-9a-f]{40}\b/g, "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
    .replaceAll(/(?<![\w-])[A-Za-z0-9_-]{43}(?![\w-])/g, DIGEST)
    .replaceAll(SHORT_DIGESTS, SHORT_DIGEST);
}

const TEXTS: Readonly<Record<string, string>> = {
  next_cursor: "bmV4dA",
  token_hint: "k7xq",
  prev: SHORT_DIGEST,
  payload: "eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEifQ==",
  sig: `${"A".repeat(86)}==`,
};
/** Codes of problems and results are short; codes of emails are secrets. */
const SHORT_CODE_MAX = 40;
const SECRETS = new Set(["csrf_token", "license_key", "token", "wallet_token", "password", "signature", "page"]);

/** Numbers the IDs of one kind in the order of their appearance. */
function stableId(ids: Map<string, string>, id: string, prefix: string): string {
  const known = ids.get(id);
  if (known !== undefined) return known;
  const number = [...ids.keys()].filter((other) => other.startsWith(`${prefix}_`)).length + 1;
  const made = `${prefix}_${String(number).padStart(id.length - prefix.length - 1, "0")}`;
  ids.set(id, made);
  return made;
}
