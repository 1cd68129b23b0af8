/** The bus of each run: numbers without a hole, given under the lock that the raised `last_seq` of the run is. */
import { insertMany } from "@triptych/storage";
import type { BusBook, Hint } from "../domain/panel-store.ts";
import type { BusItem, BusMessage } from "../domain/records.ts";
import type { Db } from "./tables.ts";

export function busBook(db: Db, owner: string, tell: (hint: Hint) => void): BusBook {
  const ofRun = (runId: string) => db.selectFrom("bus_event").where("owner", "=", owner).where("run_id", "=", runId);
  return {
    async append(runId, epoch, items) {
      const fresh = await unsaid(runId, epoch, items);
      const raised = await db
        .updateTable("run")
        .set((eb) => ({ last_seq: eb("last_seq", "+", fresh.length) }))
        .where("owner", "=", owner)
        .where("id", "=", runId)
        .returning(["last_seq", "repo_id"])
        .executeTakeFirstOrThrow();
      if (fresh.length === 0) return raised.last_seq;
      const first = raised.last_seq - fresh.length + 1;
      const place = { owner, run_id: runId, epoch };
      await insertMany(
        db,
        "bus_event",
        fresh.map((item, index) => ({ ...place, seq: first + index, ...busRow(item) })),
      );
      tell({ type: "bus", owner, id: runId, repoId: raised.repo_id, revision: raised.last_seq });
      return raised.last_seq;
    },
    async read(runId, { after, limit, kinds, roles }) {
      let found = ofRun(runId).selectAll().where("seq", ">", after);
      if (kinds !== undefined) found = found.where("kind", "in", [...kinds]);
      if (roles !== undefined) found = found.where("role", "in", [...roles]);
      return (await found.orderBy("seq").limit(limit).execute()).map(toMessage);
    },
    saidUpTo,
  };

  async function saidUpTo(runId: string, epoch: number): Promise<number> {
    const said = ofRun(runId).where("epoch", "=", epoch).where("wseq", "is not", null);
    const row = await said.select((eb) => eb.fn.max("wseq").as("upto")).executeTakeFirst();
    return row?.upto ?? 0;
  }

  /** A worker numbers in order and sends again in order: what is not above the highest that is kept was said before. */
  async function unsaid(runId: string, epoch: number, items: readonly BusItem[]): Promise<readonly BusItem[]> {
    if (items.every(({ wseq }) => wseq === null)) return items;
    const known = await saidUpTo(runId, epoch);
    return items.filter(({ wseq }) => wseq === null || wseq > known);
  }
}

function busRow({ wseq, at, kind, from, text, data, round }: BusItem) {
  return { wseq, at, kind, role: from.role, item: JSON.stringify({ from, text, data, round }) };
}

function toMessage(row: { seq: number; epoch: number; wseq: number | null; at: number; kind: string; item: string }) {
  const said = JSON.parse(row.item) as Pick<BusItem, "from" | "text" | "data" | "round">;
  const kind = row.kind as BusItem["kind"];
  return { seq: row.seq, epoch: row.epoch, wseq: row.wseq, at: row.at, kind, ...said } satisfies BusMessage;
}
