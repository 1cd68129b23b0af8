/** The buses of an account's runs: panel messages and reads. */
import { BUS_KINDS, BUS_ROLES } from "@triptych/contracts";
import { sql } from "@triptych/storage";
import { bitsOf, linesOf } from "../domain/bus-lines.ts";
import type { BusRepository } from "../domain/bus-repositories.ts";
import type { ChangeEvent } from "../domain/repositories.ts";
import type { BusItem, RunRecord } from "../domain/records.ts";
import { appendLines } from "./bus-frames.ts";
import type { Db } from "./tables.ts";

export interface OwnBus extends BusRepository {
  /** Under the number that the caller has assigned in the same transaction. */
  insert(run: Pick<RunRecord, "id" | "repoId" | "epoch" | "lastSeq">, item: BusItem): Promise<void>;
}

export function createBusRepository(db: Db, owner: string, notify: (hint: ChangeEvent) => void): OwnBus {
  const theRun = (runId: string) => db.updateTable("run").where("owner", "=", owner).where("id", "=", runId);
  return {
    async append(runId, epoch, items) {
      // Lock before reading: workers append concurrently, and the second writer must see the first one's rows.
      const head = await theRun(runId)
        .set((eb) => ({ last_seq: eb.ref("last_seq") }))
        .returning(["repo_id", "state", "epoch", "last_seq", "said_epoch", "said_upto"])
        .executeTakeFirstOrThrow();
      const at = Math.max(0, ...items.map((item) => item.at));
      const { chunk, ...progress } = appendLines(head, linesOf(items), { owner, runId, epoch, at });
      if (chunk === null) return head.last_seq;
      await theRun(runId).set(progress).execute();
      await db.insertInto("bus_chunk").values(chunk).execute();
      notify({ type: "bus", owner, id: runId, repoId: head.repo_id, revision: progress.last_seq });
      return progress.last_seq;
    },
    async insert({ id, repoId, epoch, lastSeq }, item) {
      const { items, kinds, roles } = linesOf([item]);
      const position = { owner, run_id: id, first_seq: lastSeq, last_seq: lastSeq, epoch, at: item.at };
      await db
        .insertInto("bus_chunk")
        .values({ ...position, kinds, roles, items })
        .execute();
      notify({ type: "bus", owner, id, repoId, revision: lastSeq });
    },
    async head(runId) {
      const first = db
        .selectFrom("bus_chunk")
        .select("first_seq")
        .where("owner", "=", owner)
        .where("run_id", "=", runId)
        .orderBy("last_seq")
        .limit(1);
      const row = await db
        .selectFrom("run")
        .select(["state", "wants_pr", "last_seq"])
        .select(first.as("first_seq"))
        .where("owner", "=", owner)
        .where("id", "=", runId)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { state, wants_pr, last_seq: lastSeq, first_seq } = row;
      return { state, wantsPr: wants_pr === 1, lastSeq, firstSeq: first_seq ?? lastSeq + 1 };
    },
    async read(runId, { after, limit, kinds, roles }) {
      let query = db.selectFrom("bus_chunk").select(["first_seq", "last_seq", "epoch", "items"]);
      query = query.where("owner", "=", owner).where("run_id", "=", runId).where("last_seq", ">", after);
      if (kinds !== undefined) query = query.where(sql<boolean>`kinds & ${bitsOf(BUS_KINDS, kinds)} <> 0`);
      if (roles !== undefined) query = query.where(sql<boolean>`roles & ${bitsOf(BUS_ROLES, roles)} <> 0`);
      const rows = await query.orderBy("last_seq").limit(limit).execute();
      return rows.map(({ first_seq: firstSeq, last_seq: lastSeq, epoch, items }) => {
        return { firstSeq, lastSeq, epoch, items };
      });
    },
    async lastWseq(runId, epoch) {
      const query = db.selectFrom("run").select("said_upto").where("owner", "=", owner).where("id", "=", runId);
      return (await query.where("said_epoch", "=", epoch).executeTakeFirst())?.said_upto ?? 0;
    },
  };
}
