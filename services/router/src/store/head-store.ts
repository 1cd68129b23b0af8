import type { Database } from "@triptych/storage";
import type { HeadRecord } from "../domain/heads/head.ts";
import type { HeadStore } from "../domain/heads/head-store.ts";
import { stateAfter } from "../domain/heads/head-states.ts";
import { createdBefore, createHead } from "./create-head.ts";
import { headIn, holdOwner, removeIn } from "./head-rows.ts";
import { moveVerbs } from "./transition-head.ts";
import { madeColumns, toHead } from "./rows.ts";
import type { RouterTables, Tx } from "./tables.ts";

const ABANDONED_MAX = 100;

export function openHeadStore(database: Database<RouterTables>): HeadStore {
  const { db } = database;
  const ofOwner = (owner: string, id: string) => db.updateTable("head").where("owner", "=", owner).where("id", "=", id);

  return {
    create: (head) => createHead(database, head),
    createdBefore: (owner, once, now) => createdBefore(database, { owner, once, now }),
    ...moveVerbs(database),
    async renew(ids, leaseUntil) {
      if (ids.length === 0) return;
      await db
        .updateTable("head")
        .set({ lease_until: leaseUntil })
        .where("id", "in", ids)
        .where("state", "=", "training")
        .execute();
    },
    giveUp: (now) => failLapsed(database, now),
    find: (owner, id) => headIn(db, owner, id),
    async list(owner) {
      const rows = await db
        .selectFrom("head")
        .selectAll()
        .where("owner", "=", owner)
        .orderBy("name")
        .orderBy("version")
        .execute();
      return rows.map(toHead);
    },
    async revision(owner) {
      const row = await db.selectFrom("head_owner").select("revision").where("owner", "=", owner).executeTakeFirst();
      return row?.revision ?? 0;
    },
    recalibrate: (owner, id, { before, made }) =>
      database.transaction(async (tx) => {
        await holdOwner(tx, owner);
        const written = await tx
          .updateTable("head")
          .set(madeColumns(made))
          .where("owner", "=", owner)
          .where("id", "=", id)
          .where("sha256", "=", before)
          .executeTakeFirst();
        return Number(written.numUpdatedRows) > 0;
      }),
    async tally(owner, id, { n, agreed, labelled, liveCorrect, shadowCorrect }) {
      await ofOwner(owner, id)
        .where("state", "=", "shadow")
        .set((eb) => ({
          shadow_n: eb("shadow_n", "+", n),
          shadow_agreed: eb("shadow_agreed", "+", agreed),
          shadow_labelled: eb("shadow_labelled", "+", labelled),
          shadow_live_correct: eb("shadow_live_correct", "+", liveCorrect),
          shadow_correct: eb("shadow_correct", "+", shadowCorrect),
        }))
        .execute();
    },
    remove: (owner, id) => database.transaction((tx) => removeHead(tx, owner, id)),
  };
}

async function failLapsed(database: Database<RouterTables>, now: number): Promise<number> {
  const lapsed = await database.db
    .selectFrom("head")
    .select(["owner", "id"])
    .where("state", "=", "training")
    .where("lease_until", "<=", now)
    .limit(ABANDONED_MAX)
    .execute();
  const state = stateAfter("training", "failed");
  if (state === null) throw new Error("The transition `training` to `failed` is missing.");
  for (const { owner, id } of lapsed)
    await database.transaction(async (tx) => {
      await holdOwner(tx, owner);
      // The trainer may be slow, not dead: if it renewed the lease or ended the training in the meantime, that wins.
      await tx
        .updateTable("head")
        .set({ state, reason: "interrupted", trained_at: now })
        .where("owner", "=", owner)
        .where("id", "=", id)
        .where("state", "=", "training")
        .where("lease_until", "<=", now)
        .execute();
    });
  return lapsed.length;
}

async function removeHead(tx: Tx, owner: string, id: string): Promise<HeadRecord | null> {
  await holdOwner(tx, owner);
  const head = await headIn(tx, owner, id);
  if (head === null) return null;
  await removeIn(tx, owner, id);
  const left = await tx
    .selectFrom("head")
    .select("id")
    .where("owner", "=", owner)
    .where("name", "=", head.name)
    .executeTakeFirst();
  if (left === undefined)
    await tx.deleteFrom("head_name").where("owner", "=", owner).where("name", "=", head.name).execute();
  return head;
}
