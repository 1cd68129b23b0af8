/** Queries of the delivery and of `triptych notify status`. */
import { sql } from "@triptych/storage";
import type { NotifyEvent } from "./event.ts";
import type { NotifyDatabase } from "./store.ts";

export interface PendingMessage {
  readonly number: number;
  readonly attempts: number;
  readonly createdAt: number;
  readonly event: NotifyEvent;
}

/** The target's oldest message that is due. */
export async function findDue({ db }: NotifyDatabase, targetId: string, now: number): Promise<PendingMessage | null> {
  const row = await db
    .selectFrom("message")
    .innerJoin("event", "event.id", "message.event_id")
    .select(["message.number", "message.attempts", "message.created_at", "event.body"])
    .where("message.target_id", "=", targetId)
    .where("message.state", "=", "pending")
    .where("message.next_at", "<=", now)
    .orderBy("message.number")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  // Written by `storeEvents`.
  const event = JSON.parse(row.body) as NotifyEvent;
  return { number: row.number, attempts: row.attempts, createdAt: row.created_at, event };
}

export async function markDelivered({ db }: NotifyDatabase, number: number, now: number): Promise<void> {
  await db
    .updateTable("message")
    .set(({ eb }) => ({ state: "delivered", attempts: eb("attempts", "+", 1), ended_at: now, error: null }))
    .where("number", "=", number)
    .execute();
}

export async function markFailed(
  { db }: NotifyDatabase,
  number: number,
  { error, now }: { readonly error: string; readonly now: number },
): Promise<void> {
  await db
    .updateTable("message")
    .set(({ eb }) => ({ state: "failed", attempts: eb("attempts", "+", 1), ended_at: now, error }))
    .where("number", "=", number)
    .execute();
}

export async function postpone(
  { db }: NotifyDatabase,
  number: number,
  { error, nextAt }: { readonly error: string; readonly nextAt: number },
): Promise<void> {
  await db
    .updateTable("message")
    .set(({ eb }) => ({ attempts: eb("attempts", "+", 1), next_at: nextAt, error }))
    .where("number", "=", number)
    .execute();
}

/** Fails all messages of a target that were created before a time, because the target is down. Returns their number. */
export async function failOlder(
  { db }: NotifyDatabase,
  targetId: string,
  { before, error, now }: { readonly before: number; readonly error: string; readonly now: number },
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("message")
    .set({ state: "failed", ended_at: now, error })
    .where("target_id", "=", targetId)
    .where("state", "=", "pending")
    .where("created_at", "<=", before)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

export interface TargetStatus {
  readonly id: string;
  readonly target: string;
  readonly pending: number;
  readonly failed: number;
  readonly delivered: number;
  readonly last_delivery_at: string | null;
  readonly next_attempt_at: string | null;
  readonly last_error: string | null;
}

export async function listTargetStatus({ db }: NotifyDatabase): Promise<readonly TargetStatus[]> {
  const count = (state: string) => sql<number>`count(*) filter (where message.state = ${state})`;
  const rows = await db
    .selectFrom("target")
    .leftJoin("message", "message.target_id", "target.id")
    .select([
      "target.id",
      "target.label as target",
      count("pending").as("pending"),
      count("failed").as("failed"),
      count("delivered").as("delivered"),
      sql<number | null>`max(ended_at) filter (where message.state = 'delivered')`.as("last"),
      sql<number | null>`min(next_at) filter (where message.state = 'pending')`.as("next"),
      sql<string | null>`(select error from message as latest where latest.target_id = target.id
        and error is not null order by number desc limit 1)`.as("last_error"),
    ])
    .groupBy("target.id")
    .orderBy("target.label")
    .execute();
  return rows.map(({ last, next, ...row }) => {
    return { ...row, last_delivery_at: timeOrNull(last), next_attempt_at: timeOrNull(next) };
  });
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
