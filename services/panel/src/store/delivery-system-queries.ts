import type { SystemQueries } from "../domain/repositories.ts";
import type { Db } from "./tables.ts";

type DeliveryQueries = Pick<
  SystemQueries,
  "dueEffects" | "countEffects" | "cutEffectLeases" | "dueContacts" | "needsBlob" | "forgetUploads"
>;

export function createDeliveryQueries(db: Db): DeliveryQueries {
  return {
    async dueEffects(now, most) {
      const rows = await db
        .selectFrom("effect")
        .select(["owner", "run_id", "kind"])
        .where("state", "in", ["waiting", "watching"])
        .where("next_at", "<=", now)
        .orderBy("next_at")
        .limit(most)
        .execute();
      return rows.map(({ owner, run_id, kind }) => ({ owner, runId: run_id, kind }));
    },
    async cutEffectLeases(until) {
      const cut = { lease_until: until, next_at: until };
      await db.updateTable("effect").set(cut).where("lease_until", ">", until).execute();
    },
    countEffects: () =>
      db
        .selectFrom("effect")
        .select((eb) => ["kind", "state", eb.fn.countAll<number>().as("count")])
        .where("state", "in", ["waiting", "watching"])
        .groupBy(["kind", "state"])
        .execute(),
    async dueContacts(now, most) {
      const due = db.selectFrom("contact").select(["owner", "repo_id"]).where("next_at", "<=", now);
      const rows = await due.orderBy("next_at").limit(most).execute();
      return rows.map(({ owner, repo_id }) => ({ owner, repoId: repo_id }));
    },
    async needsBlob(sha256) {
      const delivered = db.selectFrom("delivery").select("run_id").limit(1);
      const artifacts = db.selectFrom("artifact").select("run_id").limit(1);
      const rows = [
        await delivered.where("sha256", "=", sha256).executeTakeFirst(),
        await delivered.where("diff_sha256", "=", sha256).executeTakeFirst(),
        await artifacts.where("sha256", "=", sha256).where("kept_sha256", "is", null).executeTakeFirst(),
        await artifacts.where("kept_sha256", "=", sha256).executeTakeFirst(),
      ];
      return rows.some((row) => row !== undefined);
    },
    async forgetUploads(restedBefore, most) {
      let forgotten = 0;
      for (const table of ["delivery", "artifact"] as const) {
        const old = await db
          .selectFrom(table)
          .innerJoin("run", (join) =>
            join.onRef("run.owner", "=", `${table}.owner`).onRef("run.id", "=", `${table}.run_id`),
          )
          .select([`${table}.owner as owner`, `${table}.run_id as run_id`])
          // A run that rests as pushed never ends.
          .where((eb) => eb(eb.fn.coalesce("run.ended_at", "run.pushed_at"), "<", restedBefore))
          .limit(most)
          .execute();
        for (const { owner, run_id } of old)
          await db.deleteFrom(table).where("owner", "=", owner).where("run_id", "=", run_id).execute();
        forgotten += old.length;
      }
      return forgotten;
    },
  };
}
