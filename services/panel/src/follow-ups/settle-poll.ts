/** Applies the result of a poll in one transaction: a follow-up run, the end of watching, or the time of the next poll. */
import type { IsolationLevel } from "@triptych/contracts";
import type { Redact } from "../bus/open-bus.ts";
import type { OpenRepo } from "../delivery/open-repo.ts";
import { cancelRun } from "../domain/cancel-run.ts";
import { DomainError } from "../domain/domain-error.ts";
import { findStandstill, type Finding, type PrSeen, type PrWatch } from "../domain/follow-ups.ts";
import type { RepoRecord, RunRecord } from "../domain/records.ts";
import type { PanelStore, Repositories } from "../domain/repositories.ts";
import { startFollowUp, withoutAttention } from "../domain/start-follow-up.ts";
import type { OpenPrReader } from "../forges/open-forge.ts";
import type { PrReader } from "../forges/pr-reader.ts";
import { REQUESTS_PER_HOUR_MAX, requestsOfLastHour, type PrReading, type Sources } from "./read-pr.ts";

export interface PollOptions {
  readonly store: PanelStore;
  readonly by: string;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly openRepo: OpenRepo;
  readonly openPrReader: OpenPrReader;
  readonly redact: Redact;
  readonly publicUrl: string | undefined;
  readonly isolationMin: IsolationLevel;
  /** Interval set by the operator; null for 60 s and 5 min. */
  readonly pollMs: number | null;
  readonly onFollowUp: (cause: Finding["cause"], result: string) => void;
}

export interface Claimed {
  readonly watch: PrWatch;
  readonly repo: RepoRecord;
  readonly run: RunRecord;
}

export interface PollContext {
  readonly claimed: Claimed;
  readonly reader: PrReader;
  readonly sources: Sources;
  readonly requests: number[];
  readonly redact: (text: string) => Promise<string>;
}

export const FAST_MS = 60_000;
export const SLOW_MS = 5 * 60_000;
const FAST_FOR_MS = 3_600_000;
/** Polling interval of a closed pull request, which may be reopened. */
const CLOSED_MS = 3_600_000;
const CLOSED_FOR_MS = 14 * 86_400_000;
const SOURCES_MAX = 40;

export function isFastAt({ seen, activeRunId }: PrWatch, now: number): boolean {
  if (activeRunId !== null || seen.isIgnored) return false;
  return now - seen.headSince < FAST_FOR_MS || seen.checks.state === "pending";
}

export async function settlePoll(
  options: PollOptions,
  owner: string,
  polled: PollContext,
  reading: PrReading | null,
  finding: Finding | null,
): Promise<void> {
  const started = await options.store.change(owner, async (repositories) => {
    const held = await stillHeld(repositories, polled.claimed.watch);
    if (held === null) return null;
    const seen =
      reading === null ? counted(held.seen, polled, options.now()) : seenAfter(held, polled, reading, options.now());
    const next: PrWatch = { ...held, seen };
    if (
      reading !== null &&
      reading.pr.headSha !== held.seen.headSha &&
      held.seen.headSha !== polled.claimed.watch.seen.headSha
    )
      // A follow-up has pushed during the poll, so the result is outdated.
      return save(repositories, { ...held, nextAt: options.now() }, null);
    if (reading !== null && reading.pr.state !== "open") return end(repositories, next, reading, options.now());
    if (reading !== null) await noteOpen(repositories, next.runId, { pr: reading.pr, at: options.now() });
    const cause = await decide(options, repositories, { watch: next, finding });
    // Done last, because the end of the run changes the watch.
    if (seen.isIgnored) await stopActive(repositories, held, options.now());
    return cause;
  });
  if (started !== null) options.onFollowUp(started, "started");

  async function decide(
    { newId, now, isolationMin, pollMs }: PollOptions,
    repositories: Repositories,
    { watch, finding: found }: { readonly watch: PrWatch; readonly finding: Finding | null },
  ): Promise<Finding["cause"] | null> {
    const parent = await repositories.runs.find(watch.runId);
    const repo = await repositories.repos.find(watch.repoId);
    if (parent === null || repo === null) return save(repositories, { ...watch, state: "ended" }, null);
    const at = now();
    const interval = pollMs ?? (isFastAt(watch, at) ? FAST_MS : SLOW_MS);
    const seen = found === null ? watch.seen : { ...watch.seen, finding: found };
    const updated = { ...watch, nextAt: at + interval, seen };
    const standstill = findStandstill(watch, repo.settings.follow_up);
    const health = { checks: watch.seen.checks, mergeable: watch.seen.mergeable, review: watch.seen.review };
    const isRepaired = watch.seen.spent === 0 && !watch.seen.isExhausted;
    const known = { ...(isRepaired ? withoutAttention(parent) : parent), facts: { ...parent.facts, prHealth: health } };
    if (standstill === "exhausted" && (needsWork(watch.seen) || found !== null)) {
      if (!watch.seen.isExhausted) return exhaust(repositories, updated, known);
    } else if (standstill === null && found !== null) {
      const start = { watch: updated, parent: known, finding: found };
      try {
        const { watch: after } = await startFollowUp(
          repositories,
          { ...start, focus: null, isAutomatic: true },
          { id: newId("run"), now: at, isolationMin },
        );
        return await save(repositories, after, found.cause);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const retryAt = error.options.retryAt ?? at + SLOW_MS;
        return save(
          repositories,
          { ...updated, nextAt: Math.max(updated.nextAt, Math.min(retryAt, at + FAST_FOR_MS)) },
          null,
        );
      }
    }
    if (isChanged(parent, known)) await repositories.runs.learn(known);
    return save(repositories, updated, null);
  }
}

function isChanged(before: RunRecord, after: RunRecord): boolean {
  return (
    before.needsAttention !== after.needsAttention ||
    JSON.stringify(before.facts.prHealth) !== JSON.stringify(after.facts.prHealth)
  );
}

function needsWork({ checks, mergeable }: PrSeen): boolean {
  return checks.state === "failed" || mergeable === false;
}

async function exhaust(repositories: Repositories, watch: PrWatch, parent: RunRecord): Promise<null> {
  const message = `The pull request still needs work after ${watch.seen.spent} follow-up runs.`;
  const result = { code: "follow_up_exhausted", message } as const;
  await repositories.runs.learn({ ...parent, needsAttention: true, result });
  const { seen } = watch;
  return save(
    repositories,
    { ...watch, seen: { ...seen, isExhausted: true, comment: { ...seen.comment, isDue: true } } },
    null,
  );
}

/** A run that is already pushing cannot be stopped; its push reads the pull request once more. */
async function stopActive(repositories: Repositories, { activeRunId }: PrWatch, at: number): Promise<void> {
  const run = activeRunId === null ? null : await repositories.runs.find(activeRunId);
  if (run !== null)
    await cancelRun(repositories, run, { at, message: "Its pull request has ended or is to be left alone." });
}

interface Observation {
  readonly pr: PrReading["pr"];
  readonly at: number;
}

/** A draft may be ready for review now, and a closed pull request may be open again. */
async function noteOpen({ runs, effects }: Repositories, runId: string, { pr, at }: Observation): Promise<void> {
  const run = await runs.find(runId);
  if (run?.facts.pr == null || (run.facts.pr.state === pr.state && run.facts.pr.draft === pr.draft)) return;
  const { prEndedAt: _, ...facts } = run.facts;
  await runs.learn({ ...run, facts: { ...facts, pr: { ...run.facts.pr, state: pr.state, draft: pr.draft } } });
  const effect = await effects.find(runId, "pr");
  if (effect?.state === "done") await effects.save({ ...effect, state: "watching", nextAt: at + SLOW_MS });
}

/** Sets the end of a pull request, once; returns its time. */
async function noteEnd({ runs, effects }: Repositories, runId: string, { pr, at }: Observation): Promise<number> {
  const run = await runs.find(runId);
  if (run?.facts.pr == null) return at;
  const { prEndedAt = at } = run.facts;
  if (run.facts.prEndedAt !== undefined && run.facts.pr.state === pr.state) return prEndedAt;
  const facts = { ...run.facts, pr: { ...run.facts.pr, state: pr.state, draft: pr.draft }, prEndedAt };
  await runs.learn({ ...withoutAttention(run), facts });
  const effect = await effects.find(runId, "pr");
  if (effect !== null) await effects.save({ ...effect, state: "done", leasedBy: null, leaseUntil: 0 });
  return prEndedAt;
}

/**
 * Watched until the comment is final, so that a crash leaves none that says "in progress". A closed pull request is watched for two more
 * weeks, once an hour.
 */
async function end(repositories: Repositories, watch: PrWatch, { pr }: PrReading, at: number): Promise<null> {
  const endedAt = await noteEnd(repositories, watch.runId, { pr, at });
  await save(repositories, { ...watch, nextAt: at + SLOW_MS }, null);
  await stopActive(repositories, watch, at);
  const stopped = await stillHeld(repositories, watch);
  if (stopped === null || !isFinal(stopped)) return null;
  const mayReopen = pr.state === "closed" && at - endedAt < CLOSED_FOR_MS;
  return save(repositories, mayReopen ? { ...stopped, nextAt: at + CLOSED_MS } : { ...stopped, state: "ended" }, null);
}

/** Whether nothing is left to do: no active run, and no edit of the comment. */
export function isFinal({ activeRunId, seen }: PrWatch): boolean {
  return activeRunId === null && (!seen.comment.isDue || seen.attempts.length === 0);
}

async function save<T>({ followUps }: Repositories, watch: PrWatch, result: T): Promise<T> {
  await followUps.save(watch.state === "ended" ? { ...watch, leasedBy: null, leaseUntil: 0 } : watch);
  return result;
}

export async function stillHeld(
  { followUps }: Repositories,
  { runId, leasedBy, leaseUntil }: PrWatch,
): Promise<PrWatch | null> {
  const watch = await followUps.find(runId);
  return watch?.leasedBy === leasedBy && watch.leaseUntil === leaseUntil ? watch : null;
}

/** Bounded, because an interval set by the operator may exceed the limit. */
export function counted(seen: PrSeen, { requests }: PollContext, now: number): PrSeen {
  const all = [...requestsOfLastHour(seen, now), ...requests].slice(-REQUESTS_PER_HOUR_MAX);
  requests.length = 0;
  return { ...seen, requests: all };
}

function seenAfter(
  { seen: before }: PrWatch,
  polled: PollContext,
  { pr, health, checks }: PrReading,
  now: number,
): PrSeen {
  const seen = counted(before, polled, now);
  const isNewHead = pr.headSha !== seen.headSha;
  const hasPassed = (name: string) => checks.some((check) => check.name === name && check.state === "passed");
  const isWhole = health.checks.state === "passed" && seen.repaired.every(hasPassed) && health.mergeable !== false;
  return {
    ...seen,
    ...health,
    headSha: pr.headSha,
    headSince: isNewHead ? now : seen.headSince,
    baseBranch: pr.baseBranch,
    isIgnored: pr.labels.includes(polled.claimed.repo.settings.follow_up.ignore_label),
    faults: 0,
    sources: Object.fromEntries([...polled.sources].toSorted(([, a], [, b]) => b.at - a.at).slice(0, SOURCES_MAX)),
    ...(isWhole && { spent: 0, repaired: [], isExhausted: false }),
  };
}
