/** Applies head events, one commit each: the transition of this version, and of the version that it replaces. */
import type { Database } from "@triptych/storage";
import { NO_TALLY, type HeadRecord } from "../domain/heads/head.ts";
import { stateAfter, type HeadEvent } from "../domain/heads/head-states.ts";
import type { HeadStore, Moved, TrainingEnd } from "../domain/heads/head-store.ts";
import { headIn, holdOwner } from "./head-rows.ts";
import { madeColumns, tallyColumns } from "./rows.ts";
import type { HeadRow, RouterTables, Tx } from "./tables.ts";

export function moveVerbs(database: Database<RouterTables>): Pick<HeadStore, "move" | "finish"> {
  return {
    move: (owner, id, change) =>
      database.transaction(async (tx) => {
        await holdOwner(tx, owner);
        const head = await headIn(tx, owner, id);
        return head === null ? null : await moveIn(tx, head, change);
      }),
    finish: (owner, id, { end, at, trainer }) =>
      database.transaction(async (tx) => {
        await holdOwner(tx, owner);
        const mine = tx
          .selectFrom("head")
          .select("id")
          .where("owner", "=", owner)
          .where("id", "=", id)
          .where("state", "=", "training")
          .where("trainer", "=", trainer);
        const head = (await mine.executeTakeFirst()) === undefined ? null : await headIn(tx, owner, id);
        if (head === null) return null;
        const state = stateAfter(head.state, eventOf(head, end));
        if (state === null) return null;
        const made = end.kind === "made" ? { ...madeColumns(end.made), training_ms: end.ms } : {};
        await write(tx, head, { state, reason: reasonOf(end), trained_at: at, ...made });
        return await headIn(tx, owner, id);
      }),
  };
}

function eventOf({ version }: HeadRecord, end: TrainingEnd): HeadEvent {
  if (end.kind === "failed") return "failed";
  if (end.rejected !== null) return "rejected";
  return version === 1 ? "trained_first" : "trained_later";
}

function reasonOf(end: TrainingEnd) {
  return end.kind === "failed" ? end.reason : end.rejected;
}

async function moveIn(tx: Tx, head: HeadRecord, { event, allows }: Parameters<HeadStore["move"]>[2]): Promise<Moved> {
  const state = stateAfter(head.state, event);
  if (state === null) return { head, outcome: "impossible" };
  if (allows?.(head) === false) return { head, outcome: "refused" };
  if (state === head.state) return { head, outcome: "moved" };
  if (event === "promoted") await supersede(tx, head);
  await write(tx, head, { state, ...(event === "shadow_begun" && tallyColumns(NO_TALLY)) });
  const now = await headIn(tx, head.owner, head.id);
  return { head: now ?? head, outcome: "moved" };
}

/**
 * Retires the live version first, so that there is never more than one. Shadow counts restart, because they compared
 * with the old live version.
 */
async function supersede(tx: Tx, { owner, name }: HeadRecord): Promise<void> {
  const state = stateAfter("live", "superseded");
  if (state === null) throw new Error("The transition `live` to `superseded` is missing.");
  const ofName = tx.updateTable("head").where("owner", "=", owner).where("name", "=", name);
  await ofName.set({ state }).where("state", "=", "live").execute();
  await ofName.set(tallyColumns(NO_TALLY)).where("state", "=", "shadow").execute();
}

async function write(tx: Tx, { owner, id }: HeadRecord, columns: Partial<HeadRow>): Promise<void> {
  await tx.updateTable("head").set(columns).where("owner", "=", owner).where("id", "=", id).execute();
}
