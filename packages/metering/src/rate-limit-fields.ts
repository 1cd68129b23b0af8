/**
 * The header fields of draft-ietf-httpapi-ratelimit-headers-11, `RateLimit-Policy` and `RateLimit`: Structured Fields (RFC 9651),
 * each a list of one string per policy with parameters `q` (quota) and `w` (window), or `r` (remaining) and `t` (seconds until
 * more is there). The only file that knows that revision. The draft's quota units (`qu`) hold no word for our items, so none is
 * sent; `X-Quota-*` repeat the day's figures with their unit for clients that read plain integers.
 */
import type { Standing } from "./meter.ts";

export interface RatePolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** How a service calls its two policies and what its day counts. */
export interface PolicyNames {
  readonly minute: string;
  readonly day: string;
  readonly unit: string;
}

export type RateLimitFields = Readonly<Record<string, string>>;

/** All metering headers of an answer. A key without cap has only the minute policy and no `X-Quota-*`. */
export function rateLimitFields({ minute, day }: Standing, names: PolicyNames): RateLimitFields {
  const perMinute = { name: names.minute, quota: minute.limit, windowSeconds: 60, ...minute };
  if (day.limit === null || day.remaining === null) return policyFields([perMinute]);

  const { limit: quota, remaining, resetSeconds } = day;
  return {
    ...policyFields([perMinute, { name: names.day, quota, windowSeconds: 86_400, remaining, resetSeconds }]),
    "X-Quota-Limit": `${quota}`,
    "X-Quota-Remaining": `${remaining}`,
    "X-Quota-Reset": `${resetSeconds}`,
    "X-Quota-Unit": names.unit,
  };
}

/** The two fields of the draft. */
export function policyFields(policies: readonly RatePolicy[]): RateLimitFields {
  return {
    "RateLimit-Policy": policies
      .map((p) => `${string(p.name)};q=${integer(p.quota)};w=${integer(p.windowSeconds)}`)
      .join(", "),
    RateLimit: policies
      .map((p) => `${string(p.name)};r=${integer(p.remaining)};t=${integer(p.resetSeconds)}`)
      .join(", "),
  };
}

/** Names of policies as they are written: there are a handful, and they stand in every answer. */
const written = new Map<string, string>();

/** A String of RFC 9651: printable ASCII, quote and backslash escaped. */
function string(text: string): string {
  let found = written.get(text);
  if (found === undefined) written.set(text, (found = escaped(text)));
  return found;
}

function escaped(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text))
    throw new RangeError(`the name of a policy must be printable ASCII: ${JSON.stringify(text)}`);
  return `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
}

/** An Integer of RFC 9651: at most 15 digits. Figures beyond stand for "more than you will ever need". */
function integer(value: number): string {
  return `${Math.min(Math.max(0, Math.floor(value)), 999_999_999_999_999)}`;
}
