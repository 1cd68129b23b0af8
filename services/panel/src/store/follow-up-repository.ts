import { insertMany } from "@triptych/storage";
import { NOTHING_SEEN, type FollowUpRepository, type PrSeen, type PrWatch } from "../domain/follow-ups.ts";
import type { SystemQueries } from "../domain/repositories.ts";
import type { Db, PrWatchRow } from "./tables.ts";

/** More open pull requests than a person would keep in a repo. */
const WATCHES_MAX = 1_000;

export function createFollowUpRepository(db: Db, owner: string): FollowUpRepository {
  const mine = () => db.selectFrom("pr_watch").selectAll().where("owner", "=", owner);
  const watched = (repoId: string) => mine().where("repo_id", "=", repoId).where("state", "=", "watching");
  return {
    async find(runId) {
      const row = await mine().where("run_id", "=", runId).executeTakeFirst();
      return row === undefined ? null : toWatch(row);
    },
    async ofRepo(repoId) {
      return (await watched(repoId).limit(WATCHES_MAX).execute()).map(toWatch);
    },
    async save(watch) {
      const columns = ["owner", "run_id"] as const;
      await insertMany(db, "pr_watch", [watchRow(owner, watch)], { onConflict: { columns, do: "replace" } });
    },
    async wake(repoId, at) {
      const statement = db.updateTable("pr_watch").set({ next_at: at }).where("owner", "=", owner);
      await statement.where("repo_id", "=", repoId).where("state", "=", "watching").where("next_at", ">", at).execute();
    },
  };
}

function toWatch(row: PrWatchRow): PrWatch {
  return {
    runId: row.run_id,
    repoId: row.repo_id,
    prNumber: row.pr_number,
    state: row.state,
    nextAt: row.next_at,
    leasedBy: row.leased_by,
    leaseUntil: row.lease_until,
    activeRunId: row.active_run_id,
    // JSON written by `save`.
    seen: row.seen === null ? NOTHING_SEEN : (JSON.parse(row.seen) as PrSeen),
  };
}

function watchRow(owner: string, watch: PrWatch): PrWatchRow {
  return {
    owner,
    run_id: watch.runId,
    repo_id: watch.repoId,
    pr_number: watch.prNumber,
    state: watch.state,
    next_at: watch.nextAt,
    leased_by: watch.leasedBy,
    lease_until: watch.leaseUntil,
    active_run_id: watch.activeRunId,
    seen: JSON.stringify(watch.seen),
  };
}

export function createFollowUpQueries(db: Db): Pick<SystemQueries, "dueWatches" | "cutWatchLeases"> {
  return {
    async dueWatches(now, most) {
      const due = db.selectFrom("pr_watch").select(["owner", "run_id", "repo_id"]).where("state", "=", "watching");
      const rows = await due.where("next_at", "<=", now).orderBy("next_at").limit(most).execute();
      return rows.map(({ owner, run_id, repo_id }) => ({ owner, runId: run_id, repoId: repo_id }));
    },
    async cutWatchLeases(until) {
      const cut = { lease_until: until, next_at: until };
      await db.updateTable("pr_watch").set(cut).where("lease_until", ">", until).execute();
    },
  };
}
