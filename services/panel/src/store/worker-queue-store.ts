/** Queries of sweepers and nodes across all accounts. Each has an index and a limit. */
import { batch, sql, type Database, type Engine } from "@triptych/storage";
import type { Fleet, NodeMessage } from "../domain/worker-repositories.ts";
import { LEASED_STATES } from "./queue-repository.ts";
import type { PanelTables } from "./tables.ts";

const CHANNEL = "nodes";
const listed = (engine: Engine, texts: string) =>
  engine === "sqlite"
    ? sql`select value from json_each(${texts})`
    : sql`select jsonb_array_elements_text(${texts}::jsonb)`;
const ROWS_MAX = 10_000;
const IS_LEASED = sql.raw(`state in (${LEASED_STATES.map((state) => `'${state}'`).join(", ")})`);

export function openFleet(database: Database<PanelTables>): Fleet {
  return {
    isShared: database.engine === "postgres",
    ...runQueries(database),
    ...workerQueries(database),
    ...nodeQueries(database),
    notifyNodes: (message) => database.notify(CHANNEL, JSON.stringify(message)),
    subscribe: (wake) =>
      database.listen(CHANNEL, (payload) => {
        // A lost message needs no resend: its caller has timed out or polls.
        if (payload !== undefined) wake(JSON.parse(payload) as NodeMessage);
      }),
  };
}

/** Queued and leased runs, and checks of repositories. */
function runQueries({ db, engine }: Database<PanelTables>) {
  return {
    async ownersWaiting(now) {
      const waiting = db.selectFrom("run").select("owner").distinct().where("state", "=", "queued");
      return (await waiting.where("not_before", "<=", now).limit(ROWS_MAX).execute()).map(({ owner }) => owner);
    },
    async pendingChecks(owners, limit) {
      const pending = db.selectFrom("repo_check").select(["owner", "repo_id as repoId"]).where("state", "=", "pending");
      const listedOwners = sql<string>`(${listed(engine, JSON.stringify(owners))})`;
      return pending.where("owner", "in", listedOwners).orderBy("requested_at").limit(limit).execute();
    },
    overdueChecks(now, limit) {
      const running = db.selectFrom("repo_check").select(["owner", "repo_id as repoId"]).where("state", "=", "running");
      return running.where("deadline", "<=", now).orderBy("deadline").limit(limit).execute();
    },
    async oldestQueued() {
      const waiting = db.selectFrom("run").select("queued_at").where("state", "=", "queued");
      return (await waiting.orderBy("queued_at").limit(1).executeTakeFirst())?.queued_at ?? null;
    },
    lapsed(now, most) {
      const over = db.selectFrom("run").select(["owner", "id"]).where("lease_until", "is not", null);
      return over.where("lease_until", "<=", now).orderBy("lease_until").limit(most).execute();
    },
    async cancelRequests(most) {
      const rows = await db
        .selectFrom("run")
        .leftJoin("connection", (join) =>
          join.onRef("connection.owner", "=", "run.owner").onRef("connection.worker_id", "=", "run.worker_id"),
        )
        .select(["run.owner", "run.id", "run.worker_id", "run.cancel_requested_at", "connection.id as link"])
        .where("run.cancel_requested_at", "is not", null)
        .where("run.state", "in", LEASED_STATES)
        .orderBy("run.cancel_requested_at")
        .limit(most)
        .execute();
      return rows.map(({ owner, id, worker_id: workerId, cancel_requested_at, link }) => {
        return { owner, id, workerId, requestedAt: cancel_requested_at ?? 0, isConnected: link !== null };
      });
    },
    async suspendedOwners() {
      const suspended = db.selectFrom("account").select("owner").where("status", "=", "suspended");
      return (await suspended.limit(ROWS_MAX).execute()).map(({ owner }) => owner);
    },
    async moveLeases(beats) {
      const statement = sql`
        update run set lease_until = ${0}
        where owner = ${""} and id = ${""} and epoch = ${0} and worker_id = ${""} and ${IS_LEASED} and lease_until < ${0}`;
      const rows = beats.map(({ owner, runId, epoch, workerId, leaseUntil }) => {
        return [leaseUntil, owner, runId, epoch, workerId, leaseUntil];
      });
      await batch(db, statement.compile(db), rows);
    },
    async graceLeases(until) {
      await db.updateTable("run").set({ lease_until: until }).where("lease_until", "<", until).execute();
    },
  } satisfies Partial<Fleet>;
}

function workerQueries({ db, engine }: Database<PanelTables>) {
  return {
    async see(sights) {
      const statement = sql`
        update worker set seen_at = ${0}, rtt_ms = ${0}, outbox_pending = ${0}, disk_free_mb = ${0}, key_generation = ${0}
        where owner = ${""} and id = ${""}`;
      const rows = sights.map(({ owner, workerId, seenAt, rttMs, outboxPending, diskFreeMb, keyGeneration }) => {
        return [seenAt, rttMs, outboxPending, diskFreeMb, keyGeneration, owner, workerId];
      });
      await batch(db, statement.compile(db), rows);
    },
    async disconnect(connections) {
      const statement = sql`delete from connection where owner = ${""} and id = ${""}`;
      await batch(
        db,
        statement.compile(db),
        connections.map(({ owner, id }) => [owner, id]),
      );
    },
    async noteKey({ owner, generation, workerIds }) {
      // A delayed broadcast must not overwrite a newer one. One statement for all workers: the next rotation waits for it.
      const workerIdsJson = JSON.stringify(workerIds);
      await sql`
        update connection set key_generation = ${generation}
        where owner = ${owner} and key_generation < ${generation} and worker_id in (${listed(engine, workerIdsJson)})`.execute(
        db,
      );
    },
    async forget(seenBefore) {
      const { numDeletedRows } = await db
        .deleteFrom("worker")
        .where("seen_at", "<", seenBefore)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("connection")
                .select("connection.id")
                .whereRef("connection.owner", "=", "worker.owner")
                .whereRef("connection.worker_id", "=", "worker.id"),
            ),
          ),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    async removeCrossNodeCalls(before) {
      await db.deleteFrom("errand").where("at", "<", before).execute();
    },
  } satisfies Partial<Fleet>;
}

function nodeQueries(database: Database<PanelTables>) {
  const { db } = database;
  return {
    async heartbeat(node, at) {
      const updated = await db.updateTable("node").set({ beat_at: at }).where("id", "=", node).executeTakeFirst();
      if (Number(updated.numUpdatedRows) > 0) return true;
      const row = { id: node, beat_at: at };
      const made = db.insertInto("node").values(row);
      await made.onConflict((conflict) => conflict.column("id").doUpdateSet(row)).execute();
      return false;
    },
    async nodes() {
      const rows = await db.selectFrom("node").selectAll().limit(ROWS_MAX).execute();
      return rows.map(({ id, beat_at: heartbeatAt }) => ({ id, heartbeatAt }));
    },
    async removeNode(node, { leases: leaseUntil, effects: effectsUntil }) {
      await database.transaction(async (tx) => {
        // If several nodes notice, only one of them deletes the row.
        const removed = await tx.deleteFrom("node").where("id", "=", node).executeTakeFirst();
        if (Number(removed.numDeletedRows) === 0) return;
        await sql`
          update run set lease_until = ${leaseUntil}
          where ${IS_LEASED} and lease_until < ${leaseUntil} and exists (
            select 1 from connection
            where connection.owner = run.owner and connection.worker_id = run.worker_id and connection.node = ${node}
          )`.execute(tx);
        await tx.deleteFrom("connection").where("node", "=", node).execute();
        // Effects check before they act, so their leases can be shortened.
        await tx
          .updateTable("effect")
          .set({ lease_until: effectsUntil, next_at: effectsUntil })
          .where("state", "in", ["waiting", "watching"])
          .where("leased_by", "=", node)
          .where("lease_until", ">", effectsUntil)
          .execute();
      });
    },
  } satisfies Partial<Fleet>;
}
