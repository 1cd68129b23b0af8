/** The bus of each run of an account: what the panel says of it inside a change, and what is read of it. */
import { BUS_KINDS, BUS_ROLES } from "@triptych/contracts";
import { sql } from "@triptych/storage";
import { bitsOf, linesOf } from "../domain/bus-lines.ts";
import type { BusBook } from "../domain/bus-repositories.ts";
import type { Hint } from "../domain/repositories.ts";
import type { BusItem, RunRecord } from "../domain/records.ts";
import { place } from "./bus-frames.ts";
import type { Db } from "./tables.ts";

export interface OwnBus extends BusBook {
  /** Under the number that the caller has just given the run in the same change. */
  put(run: Pick<RunRecord, "id" | "repoId" | "epoch" | "lastSeq">, item: BusItem): Promise<void>;
}

export function busBook(db: Db, owner: string, tell: (hint: Hint) => void): OwnBus {
  const theRun = (runId: string) => db.updateTable("run").where("owner", "=", owner).where("id", "=", runId);
  return {
    async append(runId, epoch, items) {
      // Written to before it is read: workers speak beside this change, and who comes second reads what the first has left.
      const head = await theRun(runId)
        .set((eb) => ({ last_seq: eb.ref("last_seq") }))
        .returning(["repo_id", "state", "epoch", "last_seq", "said_epoch", "said_upto"])
        .executeTakeFirstOrThrow();
      const at = Math.max(0, ...items.map((item) => item.at));
      const { chunk, ...said } = place(head, linesOf(items), { owner, runId, epoch, at });
      if (chunk === null) return head.last_seq;
      await theRun(runId).set(said).execute();
      await db.insertInto("bus_chunk").values(chunk).execute();
      tell({ type: "bus", owner, id: runId, repoId: head.repo_id, revision: said.last_seq });
      return said.last_seq;
    },
    async put({ id, repoId, epoch, lastSeq }, item) {
      const { items, kinds, roles } = linesOf([item]);
      const place = { owner, run_id: id, first_seq: lastSeq, last_seq: lastSeq, epoch, at: item.at };
      await db
        .insertInto("bus_chunk")
        .values({ ...place, kinds, roles, items })
        .execute();
      tell({ type: "bus", owner, id, repoId, revision: lastSeq });
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
      return { state, wantsPr: wants_pr === 1, lastSeq, keptFrom: first_seq ?? lastSeq + 1 };
    },
    async read(runId, { after, limit, kinds, roles }) {
      let found = db.selectFrom("bus_chunk").select(["first_seq", "last_seq", "epoch", "items"]);
      found = found.where("owner", "=", owner).where("run_id", "=", runId).where("last_seq", ">", after);
      if (kinds !== undefined) found = found.where(sql<boolean>`kinds & ${bitsOf(BUS_KINDS, kinds)} <> 0`);
      if (roles !== undefined) found = found.where(sql<boolean>`roles & ${bitsOf(BUS_ROLES, roles)} <> 0`);
      const rows = await found.orderBy("last_seq").limit(limit).execute();
      return rows.map(({ first_seq: firstSeq, last_seq: lastSeq, epoch, items }) => {
        return { firstSeq, lastSeq, epoch, items };
      });
    },
    async saidUpTo(runId, epoch) {
      const one = db.selectFrom("run").select("said_upto").where("owner", "=", owner).where("id", "=", runId);
      return (await one.where("said_epoch", "=", epoch).executeTakeFirst())?.said_upto ?? 0;
    },
  };
}
