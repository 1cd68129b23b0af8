import { insertMany, type Database } from "@triptych/storage";
import type { FireRecord, PlannedFire, ScheduleRepository, ScheduleName } from "../domain/schedule-repository.ts";
import type { ChangeEvent, SystemQueries } from "../domain/repositories.ts";
import type { Db, FireRow, ScheduleRow, PanelTables } from "./tables.ts";

export function createScheduleRepository(
  db: Db,
  owner: string,
  notify: (hint: ChangeEvent) => void,
): ScheduleRepository {
  const fires = () => db.selectFrom("schedule_fire").selectAll().where("owner", "=", owner);
  return {
    async next({ repoId, kind }) {
      const mine = db.selectFrom("schedule").selectAll().where("owner", "=", owner);
      const row = await mine.where("repo_id", "=", repoId).where("kind", "=", kind).executeTakeFirst();
      return row === undefined ? null : toPlanned(row);
    },
    async plan({ repoId, kind, scheduledFor, dueAt }) {
      const row = { owner, repo_id: repoId, kind, scheduled_for: scheduledFor, due_at: dueAt, held_until: 0 };
      const columns = ["owner", "repo_id", "kind"] as const;
      await insertMany(db, "schedule", [row], { onConflict: { columns, do: "replace" } });
    },
    async clear({ repoId, kind }) {
      const mine = db.deleteFrom("schedule").where("owner", "=", owner);
      await mine.where("repo_id", "=", repoId).where("kind", "=", kind).execute();
    },
    async hasFired({ repoId, kind }, scheduledFor) {
      const query = fires().where("repo_id", "=", repoId).where("kind", "=", kind);
      return (await query.where("scheduled_for", "=", scheduledFor).executeTakeFirst()) !== undefined;
    },
    async record(fire) {
      await db.insertInto("schedule_fire").values(fireRow(owner, fire)).execute();
      // A fire that created a run is announced by the run.
      if (fire.runId === null) notify({ type: "repo", owner, id: fire.repoId, repoId: fire.repoId, revision: null });
    },
    async fires(repoId, { kind, result }, { below, limit }) {
      let query = fires().where("repo_id", "=", repoId);
      if (kind !== undefined) query = query.where("kind", "=", kind);
      if (result !== undefined) query = query.where("result", "=", result);
      if (below !== null) query = query.where("id", "<", below);
      return (await query.orderBy("id", "desc").limit(limit).execute()).map(toFire);
    },
  };
}

function toPlanned(row: ScheduleRow): PlannedFire {
  return { ...nameOf(row), scheduledFor: row.scheduled_for, dueAt: row.due_at };
}

export function nameOf({ repo_id, kind }: Pick<ScheduleRow, "repo_id" | "kind">): ScheduleName {
  return { repoId: repo_id, kind };
}

function toFire(row: FireRow): FireRecord {
  const { id, at, result, run_id: runId, scheduled_for: scheduledFor, missed_since: missedSince } = row;
  return { ...nameOf(row), id, at, result, runId, scheduledFor, missedSince };
}

function fireRow(owner: string, fire: FireRecord): FireRow {
  const { id, repoId, kind, at, result, runId, scheduledFor, missedSince } = fire;
  const times = { scheduled_for: scheduledFor, at, missed_since: missedSince };
  return { owner, id, repo_id: repoId, kind, ...times, result, run_id: runId };
}

type DueQuery = Parameters<SystemQueries["takeDueSchedules"]>[0];

export async function takeDueSchedules({ db, engine }: Database<PanelTables>, { now, until, most }: DueQuery) {
  const rows = await db
    // Evaluated once before the update: the engine may run an `in (…)` with a limit again for each row.
    .with(
      (cte) => cte("due").materialized(),
      (db) => {
        const due = db.selectFrom("schedule").select(["owner", "repo_id", "kind"]).where("due_at", "<=", now);
        const free = due.where("held_until", "<=", now).orderBy("due_at").limit(most);
        return engine === "postgres" ? free.forUpdate().skipLocked() : free;
      },
    )
    .updateTable("schedule")
    .from("due")
    .set({ held_until: until })
    .whereRef("schedule.owner", "=", "due.owner")
    .whereRef("schedule.repo_id", "=", "due.repo_id")
    .whereRef("schedule.kind", "=", "due.kind")
    .returning(["schedule.owner", "schedule.repo_id", "schedule.kind", "schedule.due_at"])
    .execute();
  return rows.toSorted((a, b) => a.due_at - b.due_at).map((row) => ({ owner: row.owner, ...nameOf(row) }));
}
