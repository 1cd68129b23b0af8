/** The outbox: a separate SQLite file. Events and the read position change in one transaction. */
import {
  createServiceStore,
  type Database,
  type Generated,
  type Lock,
  sql,
  type StoreLocation,
  type Transaction,
} from "@triptych/storage";
import type { NotifyEvent } from "./event.ts";
import type { Target } from "./targets/target.ts";

export interface NotifyTables {
  fact: { name: string; value: string };
  open_run: { id: string };
  target: { id: string; label: string };
  event: { id: string; type: string; at: number; body: string };
  message: {
    number: Generated<number>;
    event_id: string;
    target_id: string;
    state: "pending" | "delivered" | "failed";
    attempts: number;
    created_at: number;
    next_at: number;
    ended_at: number | null;
    error: string | null;
  };
}

export type NotifyDatabase = Database<NotifyTables>;
type Tx = Transaction<NotifyTables>;

export const notifyStore = createServiceStore<NotifyTables>({
  name: "notify",
  migrations: [{ component: "notify", directory: new URL("../migrations/", import.meta.url) }],
});

export function locationOf(dataFolder: string): StoreLocation {
  return { dataFolder, databaseUrl: undefined };
}

/** Only one process may deliver; two would send each message twice. */
export async function lockOutbox(dataFolder: string): Promise<Lock | null> {
  return notifyStore.lock(locationOf(dataFolder));
}

type FactName = "account_id" | "floor_at" | "runs_until" | "read_at";

export async function readFact(db: NotifyDatabase["db"] | Tx, name: FactName): Promise<string | null> {
  const row = await db.selectFrom("fact").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value ?? null;
}

export async function writeFact(tx: Tx, name: FactName, value: string): Promise<void> {
  await tx
    .insertInto("fact")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

export interface NewEvent {
  readonly event: NotifyEvent;
  readonly targets: readonly Target[];
}

/** Stores events that are new, each with a message per target. Returns the new ones. */
export async function storeEvents(tx: Tx, events: readonly NewEvent[], now: number): Promise<readonly NotifyEvent[]> {
  const stored: NotifyEvent[] = [];
  for (const { event, targets } of events) {
    const { id, type, at } = event;
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto("event")
      .values({ id, type, at, body: JSON.stringify(event) })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n) continue;
    stored.push(event);
    await storeMessages(tx, { event, targets }, now);
  }
  return stored;
}

async function storeMessages(tx: Tx, { event, targets }: NewEvent, now: number): Promise<void> {
  for (const { id: target_id } of targets)
    await tx
      .insertInto("message")
      .values({
        event_id: event.id,
        target_id,
        state: "pending",
        attempts: 0,
        created_at: now,
        next_at: now,
        ended_at: null,
        error: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Messages reference the stored targets, and `status` names them without the rules file. */
export async function storeTargets(database: NotifyDatabase, targets: Iterable<Target>): Promise<void> {
  await database.transaction(async (tx) => {
    for (const { id, label } of targets)
      await tx
        .insertInto("target")
        .values({ id, label })
        .onConflict((conflict) => conflict.column("id").doUpdateSet({ label }))
        .execute();
  });
}

/**
 * Sets failed messages of events since a time to pending, with the same IDs; with `all`, delivered ones too. Stored
 * events get a message for each target of the current rules that they lack.
 */
export async function replayMessages(
  database: NotifyDatabase,
  { since, all, now }: { readonly since: number; readonly all: boolean; readonly now: number },
  targetsOf: (event: NotifyEvent) => readonly Target[],
): Promise<number> {
  return await database.transaction(async (tx) => {
    const rows = await tx.selectFrom("event").select("body").where("at", ">=", since).execute();
    const before = await countPending(tx);
    const states: readonly NotifyTables["message"]["state"][] = all ? ["failed", "delivered"] : ["failed"];
    for (const { body } of rows) {
      // Written by `storeEvents`.
      const event = JSON.parse(body) as NotifyEvent;
      await tx
        .updateTable("message")
        .set({ state: "pending", attempts: 0, created_at: now, next_at: now, ended_at: null, error: null })
        .where("event_id", "=", event.id)
        .where("state", "in", states)
        .execute();
      await storeMessages(tx, { event, targets: targetsOf(event) }, now);
    }
    return (await countPending(tx)) - before;
  });
}

async function countPending(tx: Tx): Promise<number> {
  const counted = tx
    .selectFrom("message")
    .select(sql<number>`count(*)`.as("count"))
    .where("state", "=", "pending");
  return (await counted.executeTakeFirstOrThrow()).count;
}

/** Removes events before a time that have no pending messages. Events of that age are never stored again. */
export async function removeEventsBefore(tx: Tx, before: number): Promise<void> {
  const pending = tx.selectFrom("message").select("event_id").where("state", "=", "pending");
  await tx.deleteFrom("event").where("at", "<", before).where("id", "not in", pending).execute();
}
