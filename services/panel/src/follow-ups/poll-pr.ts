/**
 * One poll of a pull request: claim, read, decide, comment. The decision is written in one transaction before anything outside the
 * store happens, so a crash repeats a poll and nothing else.
 */
import { commentMarker, commentText } from "../domain/follow-up-comment.ts";
import { findStandstill, type PrSeen, type PrWatch } from "../domain/follow-ups.ts";
import type { RepoRecord } from "../domain/records.ts";
import { ForgeError } from "../forges/forge.ts";
import { causeOf, findingOf } from "./find-cause.ts";
import { redactValue } from "./redact-value.ts";
import { readPullRequest, type PrReading, type Sources } from "./read-pr.ts";
import {
  counted,
  FAST_MS,
  isFinal,
  isFastAt,
  settlePoll,
  SLOW_MS,
  stillHeld,
  type Claimed,
  type PollContext,
  type PollOptions,
} from "./settle-poll.ts";

/** Longer than all requests of a poll. */
const LEASE_MS = 3 * 60_000;
const BACKOFF_MAX_MS = 30 * 60_000;

export async function pollPr(options: PollOptions, owner: string, runId: string): Promise<void> {
  const claimed = await claim(options, owner, runId);
  if (claimed === null) return;
  const opened = await options.openRepo(owner, claimed.watch.repoId);
  const sources: Sources = new Map(Object.entries(claimed.watch.seen.sources));
  const requests: number[] = [];
  const redact = async (text: string) => (await options.redact({ owner, runId, epoch: claimed.run.epoch }, text)).text;
  const reader =
    opened === null
      ? null
      : options.openPrReader(opened, {
          find: (path) => sources.get(path),
          async keep(path, value, etag) {
            const clean = await redactValue(value, redact);
            sources.set(path, { at: options.now(), etag, value: clean });
            return clean;
          },
          onRequest: () => void requests.push(options.now()),
        });
  if (reader === null) return release(options, owner, claimed, { state: "ended" });
  const polled: PollContext = { claimed, reader, sources, requests, redact };
  try {
    await readAndSettle(options, owner, polled);
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    await backOff(options, owner, polled, error);
  }
}

/** Null if nothing is due. One pull request of a repo at a time. */
function claim({ store, by, now, pollMs }: PollOptions, owner: string, runId: string): Promise<Claimed | null> {
  return store.change(owner, async (repositories) => {
    const { followUps, repos, runs } = repositories;
    const watch = await followUps.find(runId);
    const at = now();
    if (watch?.state !== "watching" || watch.nextAt > at || watch.leaseUntil > at) return null;
    const [repo, run] = [await repos.find(watch.repoId), await runs.find(runId)];
    if (repo === null || run === null) {
      await followUps.save({ ...watch, state: "ended" });
      return null;
    }
    if (!repo.settings.follow_up.enabled || repo.status !== "active") {
      await followUps.save({ ...watch, nextAt: at + (pollMs ?? SLOW_MS) });
      return null;
    }
    const others = await followUps.ofRepo(watch.repoId);
    if (others.some((other) => other.runId !== runId && other.leaseUntil > at)) return null;
    const leaseUntil = at + LEASE_MS;
    const leased = { ...watch, leasedBy: by, leaseUntil, nextAt: leaseUntil };
    await followUps.save(leased);
    return { watch: leased, repo, run };
  });
}

async function readAndSettle(options: PollOptions, owner: string, polled: PollContext): Promise<void> {
  const { claimed, reader, sources, redact } = polled;
  const { watch, repo } = claimed;
  const now = options.now();
  const isUnlimited = options.pollMs !== null;
  const isFast = isFastAt(watch, now);
  const { prNumber, seen } = watch;
  const parts = { reader, prNumber, seen, sources, isFast, isUnlimited };
  let reading = await readPullRequest({ ...parts, now });
  if (reading === null) return settlePoll(options, owner, polled, null, null);
  const { follow_up: settings } = repo.settings;
  const causeIn = (read: PrReading) => {
    const { state, headSha, labels } = read.pr;
    const current = { ...watch, seen: { ...seen, isIgnored: labels.includes(settings.ignore_label) } };
    const mayStart = state === "open" && !isBehind(seen, headSha, now) && wantsFinding(current, settings, headSha);
    return mayStart ? causeOf(read, seen, settings) : null;
  };
  let cause = causeIn(reading);
  if (cause !== null && !reading.isPrFresh) {
    // The pull request may have been labeled or closed since the last read.
    sources.delete("@pr");
    reading = await readPullRequest({ ...parts, now });
    cause = reading === null ? null : causeIn(reading);
  }
  const finding = cause === null || reading === null ? null : await findingOf(cause, { reader, reading, seen, redact });
  await settlePoll(options, owner, polled, reading, finding);
  await updateComment(options, owner, polled, reading?.pr.state === "merged");
}

/** After the last attempt, logs are read once for each head, because a person may start one more run with them. */
function wantsFinding(watch: PrWatch, settings: RepoRecord["settings"]["follow_up"], headSha: string): boolean {
  const standstill = findStandstill(watch, settings);
  return standstill === null || (standstill === "exhausted" && watch.seen.finding?.headSha !== headSha);
}

/** For a while, a forge may still show the head that a follow-up has just replaced. */
function isBehind({ attempts, headSince }: PrSeen, headSha: string, now: number): boolean {
  if (now - headSince > BEHIND_MS) return false;
  return attempts.some(({ code, headSha: replaced }) => code === "ok" && replaced === headSha);
}

const BEHIND_MS = 10 * 60_000;

/** Written after the state and found by its marker, so a repetition after a crash edits the same comment. */
async function updateComment(
  options: PollOptions,
  owner: string,
  polled: PollContext,
  isMerged: boolean,
): Promise<void> {
  const { runId, prNumber } = polled.claimed.watch;
  const watch = await options.store.of(owner).followUps.find(runId);
  const isHeld = watch?.leasedBy === options.by && watch.leaseUntil === polled.claimed.watch.leaseUntil;
  if (watch === null || !isHeld) return;
  if (!watch.seen.comment.isDue || watch.seen.attempts.length === 0 || watch.state === "ended")
    return release(options, owner, polled.claimed, {});
  const body = commentText(runId, watch.seen, options.publicUrl);
  const comment = { marker: commentMarker(runId), body, id: watch.seen.comment.id };
  const id = await polled.reader.upsertComment(prNumber, comment).catch((error: unknown) => {
    // The pull request is locked, or permission is missing: polling continues, and the next change retries the comment.
    if (error instanceof ForgeError && isRefusedForGood(error)) return comment.id;
    throw error;
  });
  await options.store.change(owner, async (repositories) => {
    const held = await stillHeld(repositories, watch);
    if (held === null) return;
    // An attempt may have ended in the meantime; the comment is then due again.
    const isDue = commentText(runId, held.seen, options.publicUrl) !== body;
    const seen = { ...counted(held.seen, polled, options.now()), comment: { id, isDue } };
    const nextAt = isDue ? options.now() : held.nextAt;
    const edited = { ...held, seen, nextAt, leasedBy: null, leaseUntil: 0 };
    await repositories.followUps.save({ ...edited, state: isMerged && isFinal(edited) ? "ended" : held.state });
  });
}

function isRefusedForGood({ status, retryAfterS }: ForgeError): boolean {
  return retryAfterS === null && status !== null && [403, 404, 410, 422].includes(status);
}

function release(options: PollOptions, owner: string, { watch }: Claimed, change: Partial<PrWatch>): Promise<void> {
  return options.store.change(owner, async (repositories) => {
    const held = await stillHeld(repositories, watch);
    if (held !== null) await repositories.followUps.save({ ...held, ...change, leasedBy: null, leaseUntil: 0 });
  });
}

/** A rate limit sets the time of the next poll; other failures double the interval. */
function backOff(options: PollOptions, owner: string, polled: PollContext, error: ForgeError): Promise<void> {
  return options.store.change(owner, async (repositories) => {
    const held = await stillHeld(repositories, polled.claimed.watch);
    if (held === null) return;
    const at = options.now();
    const faults = held.seen.faults + 1;
    const base = options.pollMs ?? FAST_MS;
    const waitMs = Math.min(BACKOFF_MAX_MS, base * 2 ** Math.min(10, faults - 1));
    const nextAt = at + Math.max(waitMs, (error.retryAfterS ?? 0) * 1000);
    const seen = { ...counted(held.seen, polled, at), faults };
    await repositories.followUps.save({ ...held, seen, nextAt, leasedBy: null, leaseUntil: 0 });
  });
}
