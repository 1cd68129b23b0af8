/**
 * The header fields of draft-ietf-httpapi-ratelimit-headers-11, `RateLimit-Policy` and `RateLimit`: Structured Fields (RFC 9651),
 * each a list of one string per policy with parameters `q` (quota) and `w` (window), or `r` (remaining) and `t` (seconds until
 * more is there). The only file that knows that revision. The draft's quota units (`qu`) hold no word for our items, so none is
 * sent; `X-Quota-*` repeat the day's figures with their unit for clients that read plain integers.
 */
import type { RateLimitStatus } from "./meter.ts";

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

/** By name in lower case, as an answer keeps them. */
export type RateLimitFields = Readonly<Record<string, string>>;

/**
 * All metering headers of an answer that sends `sent` items, which its standing does not count yet. A key without cap has only the minute
 * policy and no `X-Quota-*`.
 */
export function rateLimitHeaders({ minute, day }: RateLimitStatus, names: PolicyNames, sent: number): RateLimitFields {
  const policy = policyOf(names.minute, minute.limit, 60);
  const state = stateOf(names.minute, minute.remaining, minute.resetSeconds);
  if (day.limit === null || day.remaining === null) return { "ratelimit-policy": policy, ratelimit: state };

  const remaining = Math.max(0, day.remaining - sent);
  // Written out as a whole, and not put together of parts with names: it stands in every answer.
  return {
    "ratelimit-policy": `${policy}, ${policyOf(names.day, day.limit, 86_400)}`,
    ratelimit: `${state}, ${stateOf(names.day, remaining, day.resetSeconds)}`,
    "x-quota-limit": `${day.limit}`,
    "x-quota-remaining": `${remaining}`,
    "x-quota-reset": `${day.resetSeconds}`,
    "x-quota-unit": names.unit,
  };
}

/** The two fields of the draft. */
export function policyFields(policies: readonly RatePolicy[]): RateLimitFields {
  return {
    "ratelimit-policy": policies.map((p) => policyOf(p.name, p.quota, p.windowSeconds)).join(", "),
    ratelimit: policies.map((p) => stateOf(p.name, p.remaining, p.resetSeconds)).join(", "),
  };
}

function policyOf(name: string, quota: number, windowSeconds: number): string {
  return `${string(name)};q=${integer(quota)};w=${integer(windowSeconds)}`;
}

function stateOf(name: string, remaining: number, resetSeconds: number): string {
  return `${string(name)};r=${integer(remaining)};t=${integer(resetSeconds)}`;
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
