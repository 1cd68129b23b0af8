/** Claims due schedules of all accounts. Concurrent nodes claim different ones; an unfinished claim expires soon. */
import type { Database } from "@triptych/storage";
import type { SystemQueries } from "../domain/repositories.ts";
import { nameOf } from "./schedule-repository.ts";
import type { PanelTables } from "./tables.ts";

type Take = Parameters<SystemQueries["takeDueSchedules"]>[0];

export async function takeDueSchedules({ db, engine }: Database<PanelTables>, { now, until, most }: Take) {
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
