/**
 * Runs as they were read last. A row whose revision, last number and lease are the same is the same row, so its long texts need not be
 * read again, and whoever has made something of the record may keep that by the record itself. Only what is committed is kept.
 */
import type { RunRecord } from "../domain/records.ts";
import { toRun } from "./rows.ts";
import type { RunRow } from "./tables.ts";

/** What tells one state of a run from all others: every change raises one of these, or moves the lease. */
export type RunVersion = Pick<RunRow, "id" | "revision" | "last_seq" | "lease_until">;

export interface RunCache {
  /** The record of this very state, where it is known. */
  find(owner: string, version: RunVersion): RunRecord | null;
  take(row: RunRow): RunRecord;
}

/** Some ten megabytes; the one that was read longest ago goes first. */
const RUNS_MAX = 2_000;

export function keepRuns(): RunCache {
  const runs = new Map<string, { readonly owner: string; readonly run: RunRecord }>();

  const find = (owner: string, { id, revision, last_seq, lease_until }: RunVersion): RunRecord | null => {
    const cached = runs.get(id);
    if (cached === undefined || cached.owner !== owner) return null;
    const { run } = cached;
    const isSame = run.revision === revision && run.lastSeq === last_seq && run.leaseUntil === lease_until;
    return isSame ? run : null;
  };
  return {
    find,
    take(row) {
      const { id, owner } = row;
      const run = find(owner, row) ?? toRun(row);
      runs.delete(id);
      runs.set(id, { owner, run });
      if (runs.size > RUNS_MAX) {
        const [oldest] = runs.keys();
        if (oldest !== undefined) runs.delete(oldest);
      }
      return run;
    },
  };
}

/** For reads inside a change: what they see may never be committed. */
export const KEEPING_NONE: RunCache = { find: () => null, take: toRun };
