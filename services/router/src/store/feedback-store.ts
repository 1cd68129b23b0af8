/** Feedback rows of a head, with a limited number and age. */
import { insertMany, type Database } from "@triptych/storage";
import type { FeedbackRow, FeedbackStore } from "../domain/heads/head-store.ts";
import { takeOnce } from "./idempotency-records.ts";
import type { FeedbackTableRow, RouterTables, Tx } from "./tables.ts";

export function openFeedbackStore(database: Database<RouterTables>): FeedbackStore {
  const { db } = database;
  const since = (owner: string, about: string, at: number) =>
    db.selectFrom("feedback").where("owner", "=", owner).where("about", "=", about).where("at", ">=", at);
  const ofKey = (owner: string, key: string) =>
    db.selectFrom("head_once").where("owner", "=", owner).where("operation", "=", OPERATION).where("key", "=", key);

  return {
    add: ({ owner, about }, rows, { once, most }) =>
      database.transaction(async (tx) => {
        const now = rows.at(-1)?.at ?? 0;
        if (once !== null) {
          const taken = await takeOnce(tx, { owner, operation: OPERATION, once, result: NOT_YET, now });
          if (taken.kind !== "first") return taken.kind;
        }
        await insertMany(
          tx,
          "feedback",
          rows.map((row) => ({ owner, about, ...columnsOf(row) })),
        );
        await keepNewest(tx, { owner, about }, most);
        return "added";
      }),
    async findNotice(owner, { key, payload }, now) {
      const row = await ofKey(owner, key).select(["payload", "result", "expires_at"]).executeTakeFirst();
      if (row === undefined || row.expires_at <= now) return { kind: "nothing" };
      if (row.payload !== payload) return { kind: "other_payload" };
      // Other prefixes predate stored results.
      return row.result.startsWith("{") ? { kind: "replayed", answer: JSON.parse(row.result) } : { kind: "nothing" };
    },
    async saveNotice(owner, { key }, answer) {
      await db
        .updateTable("head_once")
        .set({ result: JSON.stringify(answer) })
        .where("owner", "=", owner)
        .where("operation", "=", OPERATION)
        .where("key", "=", key)
        .execute();
    },
    async judged({ owner, about }, at) {
      const rows = await since(owner, about, at).select(["confidence", "is_right"]).orderBy("id").execute();
      return rows.map(({ confidence, is_right }) => ({ confidence, isRight: is_right === 1 }));
    },
    async texts({ owner, about }, at) {
      const rows = await since(owner, about, at)
        .where("state", "is not", null)
        .selectAll()
        .orderBy("id", "desc")
        .execute();
      return rows.map(toFeedback);
    },
    async expire({ before, now }) {
      await db.deleteFrom("feedback").where("at", "<", before).execute();
      await db.deleteFrom("head_once").where("expires_at", "<=", now).execute();
    },
  };
}

const OPERATION = "feedback";
/** The result is stored after the rows; until then it is empty. */
const NOT_YET = "";

/** Deletes rows older than the newest `most`; IDs ascend with time. */
async function keepNewest(
  tx: Tx,
  { owner, about }: { readonly owner: string; readonly about: string },
  most: number,
): Promise<void> {
  const oldest = await tx
    .selectFrom("feedback")
    .select("id")
    .where("owner", "=", owner)
    .where("about", "=", about)
    .orderBy("id", "desc")
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await tx
    .deleteFrom("feedback")
    .where("owner", "=", owner)
    .where("about", "=", about)
    .where("id", "<", oldest.id)
    .execute();
}

function columnsOf(row: FeedbackRow): Omit<FeedbackTableRow, "owner" | "about"> {
  return {
    id: row.id,
    at: row.at,
    state: row.state,
    context: row.context,
    route: row.route,
    decided: row.decided,
    confidence: row.confidence,
    is_right: row.decided === row.route ? 1 : 0,
    request_id: row.requestId,
  };
}

function toFeedback(row: FeedbackTableRow): FeedbackRow {
  return {
    id: row.id,
    at: row.at,
    state: row.state,
    context: row.context,
    route: row.route,
    decided: row.decided,
    confidence: row.confidence,
    requestId: row.request_id,
  };
}
