import { createWriteProbe, type Database } from "@triptych/storage";
import type { AnswerStore } from "../domain/idempotency-store.ts";
import type { GatewayTables } from "./migrations.ts";

export function openAnswerStore(database: Database<GatewayTables>): AnswerStore {
  const { db } = database;
  const probe = createWriteProbe(database);
  return {
    async keep({ name, res, sealed, endsAt }) {
      await db
        .insertInto("answer")
        .values({ name, res, sealed, ends_at: endsAt })
        // The same response, encrypted again. Both copies can be decrypted; the newer one expires later.
        .onConflict((conflict) => conflict.columns(["name", "res"]).doUpdateSet({ sealed, ends_at: endsAt }))
        .execute();
    },
    async find({ name, res }) {
      const row = await db
        .selectFrom("answer")
        .select("sealed")
        .where("name", "=", name)
        .where("res", "=", res)
        .executeTakeFirst();
      return row?.sealed ?? null;
    },
    async removeEnded(now, limit) {
      const ended = db.selectFrom("answer").select(["name", "res"]).where("ends_at", "<=", now).limit(limit);
      const rows = await ended.execute();
      for (const { name, res } of rows)
        await db
          .deleteFrom("answer")
          .where("name", "=", name)
          .where("res", "=", res)
          .where("ends_at", "<=", now)
          .execute();
      return rows.length;
    },
    async writeError() {
      const issue = await probe();
      if (issue !== null) return issue;
      try {
        await db.selectFrom("answer").select("name").limit(1).execute();
        return null;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}
