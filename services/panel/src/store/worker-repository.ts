import type { CrossNodeCall, WorkerRepository } from "../domain/worker-repositories.ts";
import type { ChangeEvent } from "../domain/repositories.ts";
import type { ConnectionRecord, ProbeRecord, WorkerRecord } from "../domain/workers.ts";
import type { ConnectionRow, Db, ProbeRow, WorkerRow } from "./tables.ts";

/** Higher than every real plan limit; further workers are counted but not listed. */
const LISTED_MAX = 20_000;

export function createWorkerRepository(db: Db, owner: string, notify: (hint: ChangeEvent) => void): WorkerRepository {
  const changed = (id: string) => notify({ type: "worker", owner, id, repoId: null, revision: null });
  return {
    async find(id) {
      const mine = db.selectFrom("worker").selectAll().where("owner", "=", owner).where("id", "=", id);
      const row = await mine.executeTakeFirst();
      return row === undefined ? null : toWorker(row);
    },
    async list() {
      const mine = db.selectFrom("worker").selectAll().where("owner", "=", owner);
      return (await mine.orderBy("id", "desc").limit(LISTED_MAX).execute()).map(toWorker);
    },
    async save(worker) {
      const row = workerRow(owner, worker);
      const made = db.insertInto("worker").values(row);
      await made.onConflict((conflict) => conflict.columns(["owner", "id"]).doUpdateSet(row)).execute();
      changed(worker.id);
    },
    async remove(id) {
      const statement = db.deleteFrom("worker").where("owner", "=", owner).where("id", "=", id);
      if (Number((await statement.executeTakeFirst()).numDeletedRows) === 0) return false;
      for (const table of ["connection", "probe"] as const)
        await db.deleteFrom(table).where("owner", "=", owner).where("worker_id", "=", id).execute();
      changed(id);
      return true;
    },
    ...connectionQueries(db, owner, changed),
    ...probeQueries(db, owner, changed),
  };
}

function connectionQueries(db: Db, owner: string, changed: (id: string) => void) {
  return {
    async connections() {
      const mine = db.selectFrom("connection").selectAll().where("owner", "=", owner);
      return (await mine.limit(LISTED_MAX).execute()).map(toConnection);
    },
    async countConnected() {
      const counted = db.selectFrom("connection").select((eb) => eb.fn.countAll<number>().as("n"));
      return (await counted.where("owner", "=", owner).executeTakeFirstOrThrow()).n;
    },
    async connectionOf(id) {
      const mine = db.selectFrom("connection").selectAll().where("owner", "=", owner).where("worker_id", "=", id);
      const row = await mine.executeTakeFirst();
      return row === undefined ? null : toConnection(row);
    },
    async connect({ id, workerId, node, process, keyGeneration, openedAt }) {
      const owned = { owner, worker_id: workerId, id, node, process };
      const row = { ...owned, key_generation: keyGeneration, opened_at: openedAt };
      const made = db.insertInto("connection").values(row);
      await made.onConflict((conflict) => conflict.columns(["owner", "worker_id"]).doUpdateSet(row)).execute();
      changed(workerId);
    },
  } satisfies Partial<WorkerRepository>;
}

/** Probes of agents, and calls between nodes. */
function probeQueries(db: Db, owner: string, changed: (id: string) => void) {
  return {
    async probes(workerId) {
      const all = db.selectFrom("probe").selectAll().where("owner", "=", owner);
      const mine = workerId === undefined ? all : all.where("worker_id", "=", workerId);
      return (await mine.orderBy("worker_id").limit(LISTED_MAX).execute()).map(toProbe);
    },
    async keepProbe({ workerId, cli, model, ok, latencyMs, error, checkedAt }) {
      const owned = { owner, worker_id: workerId, cli, model };
      const result = { ok: ok ? 1 : 0, latency_ms: latencyMs, checked_at: checkedAt };
      const row = { ...owned, ...result, error: error === null ? null : JSON.stringify(error) };
      const made = db.insertInto("probe").values(row);
      const key = ["owner", "worker_id", "cli", "model"] as const;
      await made.onConflict((conflict) => conflict.columns([...key]).doUpdateSet(row)).execute();
      changed(workerId);
    },
    async addCrossNodeCall({ id, workerId, request, at }) {
      // oxlint-disable-next-line triptych/plain-names -- column of a released migration
      const row = { owner, id, worker_id: workerId, asked: JSON.stringify(request), answer: null, at };
      await db.insertInto("errand").values(row).execute();
    },
    async findCrossNodeCall(id) {
      const mine = db.selectFrom("errand").selectAll().where("owner", "=", owner).where("id", "=", id);
      const row = await mine.executeTakeFirst();
      if (row === undefined) return null;
      const answer: unknown = row.answer === null ? undefined : JSON.parse(row.answer);
      return {
        id,
        workerId: row.worker_id,
        // oxlint-disable-next-line triptych/plain-names -- column of a released migration
        request: JSON.parse(row.asked),
        answer,
        at: row.at,
      } satisfies CrossNodeCall;
    },
    async answerCrossNodeCall(id, answer) {
      const statement = db.updateTable("errand").where("owner", "=", owner).where("id", "=", id);
      await statement.set({ answer: JSON.stringify(answer) }).execute();
    },
  } satisfies Partial<WorkerRepository>;
}

function toWorker(row: WorkerRow): WorkerRecord {
  return {
    id: row.id,
    name: row.name,
    agents: JSON.parse(row.agents) as WorkerRecord["agents"],
    slots: row.slots,
    isolation: row.isolation,
    os: row.os,
    version: row.version,
    enabled: row.enabled === 1,
    embedded: row.embedded === 1,
    createdAt: row.created_at,
    figures: {
      seenAt: row.seen_at,
      rttMs: row.rtt_ms,
      outboxPending: row.outbox_pending,
      diskFreeMb: row.disk_free_mb,
      keyGeneration: row.key_generation,
    },
  };
}

function workerRow(owner: string, { agents, enabled, embedded, createdAt, figures, ...rest }: WorkerRecord): WorkerRow {
  return {
    owner,
    ...rest,
    agents: JSON.stringify(agents),
    enabled: enabled ? 1 : 0,
    embedded: embedded ? 1 : 0,
    created_at: createdAt,
    seen_at: figures.seenAt,
    rtt_ms: figures.rttMs,
    outbox_pending: figures.outboxPending,
    disk_free_mb: figures.diskFreeMb,
    key_generation: figures.keyGeneration,
  };
}

function toConnection(row: ConnectionRow): ConnectionRecord {
  const { id, worker_id: workerId, node, process, key_generation: keyGeneration, opened_at: openedAt } = row;
  return { id, workerId, node, process, keyGeneration, openedAt };
}

function toProbe({ worker_id: workerId, cli, model, ok, latency_ms, error, checked_at }: ProbeRow): ProbeRecord {
  const parsed = error === null ? null : (JSON.parse(error) as ProbeRecord["error"]);
  return { workerId, cli, model, ok: ok === 1, latencyMs: latency_ms, error: parsed, checkedAt: checked_at };
}
