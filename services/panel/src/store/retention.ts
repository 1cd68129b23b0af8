/** Deletes expired data by index, in batches of short statements; the next sweep continues. */
import { sql, type Database } from "@triptych/storage";
import type { Db, PanelTables } from "./tables.ts";
import type { ExpiredData } from "../domain/repositories.ts";

export function createExpiredData({ db }: Pick<Database<PanelTables>, "db">): ExpiredData {
  return {
    removeAnswers: (before, most) => removeEnded(db, { table: "idempotency", key: "key", before, most }),
    removeLinks: (before, most) => removeEnded(db, { table: "sign_in_link", key: "hash", before, most }),
    async removeSessions({ createdAt, seenAt }, most) {
      const over = db
        .selectFrom("session")
        .select("hash")
        .where((eb) => eb.or([eb("created_at", "<=", createdAt), eb("seen_at", "<=", seenAt)]))
        .limit(most);
      return countOf(await db.deleteFrom("session").where("hash", "in", over).executeTakeFirst());
    },
    async removeFires(before, most) {
      const over = db.selectFrom("schedule_fire").select(["owner", "id"]).where("at", "<=", before);
      const some = over.orderBy("at").limit(most);
      const removed = await db
        .deleteFrom("schedule_fire")
        .where((eb) => eb(eb.refTuple("owner", "id"), "in", some.$asTuple("owner", "id")))
        .executeTakeFirst();
      return countOf(removed);
    },
    async forgetRepos(before, most) {
      const removed = db.selectFrom("repo").select(["owner", "id"]).where("removed_at", "<=", before);
      const repos = await removed.orderBy("removed_at").limit(most).execute();
      for (const { owner, id } of repos) await forgetRepo(db, owner, id);
      return repos.length;
    },
  };
}

interface ExpiredRows {
  readonly table: "idempotency" | "sign_in_link";
  readonly key: "key" | "hash";
  readonly before: number;
  readonly most: number;
}

async function removeEnded(db: Db, { table, key, before, most }: ExpiredRows): Promise<number> {
  const [from, column] = [sql.table(table), sql.ref(key)];
  const removed = await sql`
    delete from ${from} where (owner, ${column}) in
      (select owner, ${column} from ${from} where expires_at <= ${before} order by expires_at limit ${most})
  `.execute(db);
  return Number(removed.numAffectedRows ?? 0);
}

function countOf({ numDeletedRows }: { readonly numDeletedRows: bigint }): number {
  return Number(numDeletedRows);
}

/** Tables with rows of a run. Add each new one here. */
const OF_A_RUN = [
  "bus_chunk",
  "run_transition",
  "report",
  "delivery",
  "artifact",
  "effect",
  "pr_watch",
  "run_statement",
] as const;
const OF_A_REPO = ["memory", "candidate", "scout_tally", "contact", "repo_check", "schedule", "schedule_fire"] as const;
const RUNS_PER_BATCH = 100;

/** Deletes a removed repo step by step; its own row goes last, so that an interrupted sweep resumes. */
async function forgetRepo(db: Db, owner: string, repoId: string): Promise<void> {
  const runs = db.selectFrom("run").select(["id", "last_seq"]).where("owner", "=", owner).where("repo_id", "=", repoId);
  for (;;) {
    const some = await runs.limit(RUNS_PER_BATCH).execute();
    for (const { id, last_seq } of some) await forgetRun(db, owner, { id, lastSeq: last_seq });
    if (some.length < RUNS_PER_BATCH) break;
  }
  for (const table of OF_A_REPO)
    await db.deleteFrom(table).where("owner", "=", owner).where("repo_id", "=", repoId).execute();
  await db.deleteFrom("repo").where("owner", "=", owner).where("id", "=", repoId).execute();
}

const MESSAGES_PER_BATCH = 2_000;

async function forgetRun(db: Db, owner: string, { id, lastSeq }: { id: string; lastSeq: number }): Promise<void> {
  for (let upTo = MESSAGES_PER_BATCH; upTo < lastSeq; upTo += MESSAGES_PER_BATCH)
    await db
      .deleteFrom("bus_chunk")
      .where("owner", "=", owner)
      .where("run_id", "=", id)
      .where("last_seq", "<=", upTo)
      .execute();
  for (const table of OF_A_RUN)
    await db.deleteFrom(table).where("owner", "=", owner).where("run_id", "=", id).execute();
  await db.deleteFrom("run").where("owner", "=", owner).where("id", "=", id).execute();
}
