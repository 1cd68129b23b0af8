/**
 * Caches committed runs. A row with the same revision, last number and lease is unchanged, so its long columns are not read again. The
 * record's identity is stable, so callers may cache by it.
 */
import type { RunRecord } from "../domain/records.ts";
import { toRun } from "./rows.ts";
import type { RunRow } from "./tables.ts";

/** Identifies one state of a run: every change raises one of these or moves the lease. */
export type RunVersion = Pick<RunRow, "id" | "revision" | "last_seq" | "lease_until">;

export interface RunCache {
  find(owner: string, version: RunVersion): RunRecord | null;
  take(row: RunRow): RunRecord;
}

/** About ten megabytes; evicts the least recently read. */
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

/** For reads inside a transaction, which may roll back. */
export const KEEPING_NONE: RunCache = { find: () => null, take: toRun };
