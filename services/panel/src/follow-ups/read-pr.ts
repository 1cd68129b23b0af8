/**
 * Reads what is due about a pull request. At most 80 requests per hour: while polling is fast, one source of checks is read in each poll,
 * and everything else less often.
 */
import { FAILED_CHECKS_MAX, type PrHealth } from "@triptych/contracts";
import type { PrSeen, SeenSource } from "../domain/follow-ups.ts";
import { ForgeError } from "../forges/forge.ts";
import type { Check, PrReader, PrState, Reviews } from "../forges/pr-reader.ts";

export const REQUESTS_PER_HOUR_MAX = 80;
/** Requests reserved for the comment, logs, and the last read before a run starts. */
const RESERVED = 6;
/** Requests for the pull request, its required checks, and two sources of checks. */
const POLL_REQUESTS_MAX = 4;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const PR_MS = 5 * MINUTE_MS;
const QUIET_MS = 10 * MINUTE_MS;
const REVIEWS_MS = 3 * MINUTE_MS;

/** Sources of one poll, changed in place by the reads. */
export type Sources = Map<string, SeenSource>;

export interface Reading {
  readonly reader: PrReader;
  readonly prNumber: number;
  readonly seen: PrSeen;
  readonly sources: Sources;
  readonly now: number;
  readonly isFast: boolean;
  /** Whether the operator has set an interval: each poll then reads everything. */
  readonly isUnlimited: boolean;
}

export interface PrReading {
  readonly pr: PrState;
  readonly isPrFresh: boolean;
  readonly checks: readonly Check[];
  readonly health: PrHealth;
  readonly reviews: Reviews;
}

export function requestsOfLastHour({ requests }: PrSeen, now: number): readonly number[] {
  return requests.filter((at) => at > now - HOUR_MS);
}

function requestsLeft({ seen, now }: Reading): number {
  return REQUESTS_PER_HOUR_MAX - RESERVED - requestsOfLastHour(seen, now).length;
}

/** Null if the budget of the hour is used up. Throws `ForgeError`. */
export async function readPullRequest(reading: Reading): Promise<PrReading | null> {
  const { reader, prNumber, seen, isUnlimited } = reading;
  if (!isUnlimited && requestsLeft(reading) < POLL_REQUESTS_MAX) return null;
  const isPrFresh = isDue(reading, "@pr", PR_MS);
  const pr = await remembered(reading, "@pr", isPrFresh, () => reader.readPr(prNumber));
  if (pr.headSha !== seen.headSha) forgetChecks(reading.sources);
  if (pr.state !== "open")
    return {
      pr,
      isPrFresh,
      checks: [],
      health: { ...healthOf([], null), mergeable: null, review: "none" },
      reviews: NO_REVIEWS,
    };
  const required = await remembered(reading, "@required", isDue(reading, "@required", HOUR_MS), () =>
    tolerated(() => reader.readRequired(pr.baseBranch), null),
  );
  const checks = await readChecks(reading, pr.headSha);
  const reviews = await readReviews(reading, pr);
  const health = { ...healthOf(checks, required), mergeable: pr.mergeable, review: reviews.state };
  return { pr, isPrFresh, checks, health, reviews };
}

const NO_REVIEWS: Reviews = { state: "none", remarks: [] };

function isDue({ sources, now, isFast, isUnlimited }: Reading, key: string, fastMs: number): boolean {
  const at = sources.get(key)?.at;
  return at === undefined || isUnlimited || (!isFast && key !== "@required") || now - at >= fastMs - 1_000;
}

async function remembered<T>(
  { sources, now }: Reading,
  key: string,
  isNeeded: boolean,
  work: () => Promise<T>,
): Promise<T> {
  const known = sources.get(key);
  // Stored by this function under the same key.
  if (!isNeeded && known !== undefined) return known.value as T;
  const value = await work();
  sources.set(key, { at: now, etag: null, value });
  return value;
}

/** If the request fails, the old state is used; a rate limit ends the poll. */
async function tolerated<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  return work().catch((error: unknown) => {
    if (error instanceof ForgeError && error.retryAfterS === null && error.status !== 429) return otherwise;
    throw error;
  });
}

function forgetChecks(sources: Sources): void {
  for (const key of sources.keys()) if (key.startsWith("@checks") || key.includes("/commits/")) sources.delete(key);
}

/** Stored by `readChecks`. */
function knownChecks(sources: Sources, key: string): readonly Check[] {
  return (sources.get(key)?.value as readonly Check[] | undefined) ?? [];
}

async function readChecks(reading: Reading, sha: string): Promise<readonly Check[]> {
  const { reader, sources, now } = reading;
  const keys = reader.checkSources.map((_, index) => `@checks${index}`);
  const isEmpty = (key: string) => sources.has(key) && knownChecks(sources, key).length === 0;
  const used = keys.filter((key) => !isEmpty(key));
  const isPending = (key: string) => knownChecks(sources, key).some(({ state }) => state === "pending");
  const pending = used.filter(isPending);
  // One source per poll, in turn: sources with pending checks, else those with any checks, else all.
  const [longest] = (pending.length > 0 ? pending : used.length > 0 ? used : keys).toSorted(
    (a, b) => (sources.get(a)?.at ?? 0) - (sources.get(b)?.at ?? 0),
  );
  const all: Check[] = [];
  for (const [index, key] of keys.entries()) {
    const at = sources.get(key)?.at;
    const isNeeded = at === undefined || key === longest || isDue(reading, key, QUIET_MS);
    const read = reader.checkSources[index];
    const isSame = at !== undefined && at === now;
    if (read !== undefined) all.push(...(await remembered(reading, key, isNeeded && !isSame, () => read(sha))));
  }
  return all;
}

/** Read when the pull request has changed, and otherwise at a long interval. */
async function readReviews(reading: Reading, pr: PrState): Promise<Reviews> {
  const { reader, prNumber, sources, now } = reading;
  const known = sources.get("@reviews");
  const isChanged = known?.etag !== pr.updatedAt;
  const isAffordable = reading.isUnlimited || requestsLeft(reading) >= POLL_REQUESTS_MAX + reader.reviewRequestsMax;
  const isExpected = isDue(reading, "@reviews", QUIET_MS) || (isChanged && now - (known?.at ?? 0) >= REVIEWS_MS);
  const isNeeded = known === undefined || (isExpected && isAffordable);
  const before = (known?.value as Reviews | undefined) ?? NO_REVIEWS;
  const reviews = await remembered(reading, "@reviews", isNeeded, () =>
    tolerated(() => reader.readReviews(prNumber), before),
  );
  const stored = sources.get("@reviews");
  if (isNeeded && stored !== undefined) sources.set("@reviews", { ...stored, etag: pr.updatedAt });
  return reviews;
}

/** If the forge marks checks as required, only these count. */
export function failedChecks(checks: readonly Check[], required: readonly string[] | null): readonly Check[] {
  return checks.filter(({ name, state }) => state === "failed" && (required === null || required.includes(name)));
}

function healthOf(checks: readonly Check[], required: readonly string[] | null): Pick<PrHealth, "checks"> {
  const counted = required === null ? checks : checks.filter(({ name }) => required.includes(name));
  const failed = [...new Set(failedChecks(checks, required).map(({ name }) => name))].slice(0, FAILED_CHECKS_MAX);
  const isMissing = required?.some((name) => !checks.some((check) => check.name === name)) === true;
  const isPending = isMissing || counted.some(({ state }) => state === "pending");
  const settled = counted.length === 0 && !isMissing ? "none" : "passed";
  return { checks: { state: failed.length > 0 ? "failed" : isPending ? "pending" : settled, failed } };
}
