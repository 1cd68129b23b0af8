import { RUN_STATES, type RepoStatus } from "@triptych/contracts";
import { compareQueueOrder, needsOf, type WaitingRun } from "../queue/rules.ts";
import type { RunSpec } from "../domain/records.ts";
import { isLeased } from "../domain/run-states.ts";
import type { Db } from "./tables.ts";
import type { LeasedRun, QueueRepository } from "../queue/repository.ts";

export const LEASED_STATES = RUN_STATES.filter(isLeased);
const CHECKS_PER_TICK_MAX = 1_000;

export function createQueueRepository(db: Db, owner: string): QueueRepository {
  return {
    async view() {
      const account = db.selectFrom("account").select(["plan", "status"]).where("owner", "=", owner);
      const { plan, status } = await account.executeTakeFirstOrThrow();
      const waiting = await db
        .selectFrom("run")
        .innerJoin("repo", (join) => join.onRef("repo.owner", "=", "run.owner").onRef("repo.id", "=", "run.repo_id"))
        .select(["run.id", "run.repo_id", "run.priority", "run.queued_at", "run.not_before"])
        .select(["run.is_parallel", "run.worker_id", "repo.status as repo_status"])
        .where("run.owner", "=", owner)
        .where("run.state", "=", "queued")
        .orderBy("run.priority", "desc")
        .orderBy("run.queued_at")
        .limit(CHECKS_PER_TICK_MAX)
        .execute();
      const workers = db.selectFrom("repo_check").select("worker_id").where("owner", "=", owner);
      const checks = await workers.where("state", "=", "running").limit(CHECKS_PER_TICK_MAX).execute();
      const checking = checks.map(({ worker_id }) => worker_id);
      const order = waiting.map(toWaiting).toSorted(compareQueueOrder);
      return { plan, status, leased: await leased(), checking, waiting: order };
    },
    leased,
    async needsOf(ids) {
      if (ids.length === 0) return new Map();
      const mine = db.selectFrom("run").select(["id", "kind", "run_order"]).where("owner", "=", owner);
      const rows = await mine.where("id", "in", [...ids]).execute();
      return new Map(rows.map((row) => [row.id, needsOf(row.kind, JSON.parse(row.run_order) as RunSpec)]));
    },
    async knowsReport({ runId, epoch, mid }) {
      const query = db.selectFrom("report").select("mid").where("owner", "=", owner).where("run_id", "=", runId);
      return (await query.where("epoch", "=", epoch).where("mid", "=", mid).executeTakeFirst()) !== undefined;
    },
    async noteReport({ runId, epoch, mid }) {
      const row = { owner, run_id: runId, epoch, mid };
      const noted = db.insertInto("report").values(row);
      const made = await noted.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
      return Number(made.numInsertedOrUpdatedRows ?? 0n) > 0;
    },
  };

  function leased(workerId?: string): Promise<readonly LeasedRun[]> {
    const all = db.selectFrom("run").select(["id", "repo_id as repoId", "worker_id as workerId"]);
    const mine = all.where("owner", "=", owner).where("state", "in", LEASED_STATES).limit(CHECKS_PER_TICK_MAX);
    return (workerId === undefined ? mine : mine.where("worker_id", "=", workerId)).execute();
  }
}

interface WaitingRow {
  readonly id: string;
  readonly repo_id: string;
  readonly priority: number;
  readonly queued_at: number;
  readonly not_before: number;
  readonly is_parallel: number;
  readonly worker_id: string | null;
  readonly repo_status: RepoStatus;
}

/** The row of a requeued run still names its last worker. */
function toWaiting(row: WaitingRow): WaitingRun {
  const times = { queuedAt: row.queued_at, notBefore: row.not_before };
  const about = { id: row.id, repoId: row.repo_id, repoStatus: row.repo_status, priority: row.priority };
  return { ...about, ...times, isParallel: row.is_parallel === 1, failedBy: row.worker_id };
}
