/**
 * `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11, as Structured Fields (RFC 9651). The
 * draft has no quota unit for items, so `X-Quota-*` repeat the daily figures.
 */

/** Counters of a key; null without a cap. */
export interface RateLimitStatus {
  readonly minute: { readonly limit: number; readonly remaining: number; readonly resetSeconds: number };
  readonly day: { readonly limit: number | null; readonly remaining: number | null; readonly resetSeconds: number };
}

export interface RatePolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface PolicyNames {
  readonly minute: string;
  readonly day: string;
  readonly unit: string;
}

export type RateLimitFields = Readonly<Record<string, string>>;

/**
 * All metering headers of a response with `sent` items, which the counters do not include yet. A key without a cap has
 * only the minute policy and no `X-Quota-*`.
 */
export function rateLimitHeaders({ minute, day }: RateLimitStatus, names: PolicyNames, sent: number): RateLimitFields {
  const policy = policyOf(names.minute, minute.limit, 60);
  const state = stateOf(names.minute, minute.remaining, minute.resetSeconds);
  if (day.limit === null || day.remaining === null) return { "ratelimit-policy": policy, ratelimit: state };

  const remaining = Math.max(0, day.remaining - sent);
  // Written as a literal for speed: every response contains it.
  return {
    "ratelimit-policy": `${policy}, ${policyOf(names.day, day.limit, 86_400)}`,
    ratelimit: `${state}, ${stateOf(names.day, remaining, day.resetSeconds)}`,
    "x-quota-limit": `${day.limit}`,
    "x-quota-remaining": `${remaining}`,
    "x-quota-reset": `${day.resetSeconds}`,
    "x-quota-unit": names.unit,
  };
}

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

/** An RFC 9651 String: printable ASCII with escaped quotes and backslashes. */
function string(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text))
    throw new RangeError(`the name of a policy must be printable ASCII: ${JSON.stringify(text)}`);
  return `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
}

/** An RFC 9651 Integer: at most 15 digits. Larger numbers are clamped. */
function integer(value: number): string {
  return `${Math.min(Math.max(0, Math.floor(value)), 999_999_999_999_999)}`;
}
