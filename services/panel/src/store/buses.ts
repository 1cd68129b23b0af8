/** Batch operations on the buses of many runs, without account locks: ingest of worker frames, pruning of history. */
import { sql, type Database, type ProcedureName } from "@triptych/storage";
import type { Buses, BusFrame } from "../domain/bus-repositories.ts";
import type { ChangeEvent } from "../domain/repositories.ts";
import { FENCED, appendFrame, toIngested, type BusHead, type FrameOutcome, type BusPosition } from "./bus-frames.ts";
import type { FramesToIngest } from "./ingest-frames.ts";
import type { Db, PanelTables } from "./tables.ts";

const INGEST: ProcedureName = { module: new URL("./ingest-frames.ts", import.meta.url), name: "ingestFrames" };

export function busesOn(
  database: Database<PanelTables>,
  spread: (hints: readonly ChangeEvent[]) => Promise<void>,
): Buses {
  const { db, procedures } = database;
  const write = (frames: readonly BusFrame[], at: number): Promise<readonly FrameOutcome[]> =>
    procedures === null
      ? ingestOnPostgres(database, frames, at)
      : procedures.call<readonly FrameOutcome[]>(INGEST, { frames, at } satisfies FramesToIngest);

  return {
    async ingest(frames, at) {
      const outcomes = await write(frames, at);
      const hints = outcomes.flatMap(({ ingested, repoId }, index): readonly ChangeEvent[] => {
        const frame = frames[index];
        if (ingested.kind === "fenced" || repoId === null || frame === undefined) return [];
        return [{ type: "bus", owner: frame.owner, id: frame.runId, repoId, revision: ingested.lastSeq }];
      });
      await spread(hints);
      return outcomes.map(({ ingested }) => ingested);
    },
    async owners(above, most) {
      const accounts = db.selectFrom("account").select(["owner", "plan"]).where("owner", ">", above);
      return accounts.orderBy("owner").limit(most).execute();
    },
    async prune(owner, { before, most }) {
      const ofOwner = db.selectFrom("bus_chunk").where("owner", "=", owner).where("at", "<", before);
      const aged = await ofOwner.select(["run_id", "last_seq"]).orderBy("at").limit(most).execute();
      // Prunes a prefix only, even after a clock change, because readers are not told about a gap inside the bus.
      const upto = new Map<string, number>();
      for (const { run_id, last_seq } of aged) upto.set(run_id, Math.max(last_seq, upto.get(run_id) ?? 0));
      for (const [runId, last] of upto) {
        const beginning = db.deleteFrom("bus_chunk").where("owner", "=", owner).where("run_id", "=", runId);
        await beginning.where("last_seq", "<=", last).execute();
      }
      return aged.length;
    },
  };
}

/**
 * Locks the rows of runs in one statement and skips locked ones: waiting while holding other locks could deadlock with an account's
 * transaction. The skipped runs follow one by one, holding nothing else.
 */
async function ingestOnPostgres(
  database: Database<PanelTables>,
  frames: readonly BusFrame[],
  at: number,
): Promise<readonly FrameOutcome[]> {
  const outcomes = new Map<BusFrame, FrameOutcome>();
  const free = await database.transaction((tx) => take(tx, frames, { at, waits: false }));
  for (const [frame, outcome] of free) outcomes.set(frame, outcome);
  const rest = Map.groupBy(
    frames.filter((frame) => !outcomes.has(frame)),
    ({ owner, runId }) => `${owner} ${runId}`,
  );
  for (const ofRun of rest.values()) {
    const taken = await database.transaction((tx) => take(tx, ofRun, { at, waits: true }));
    for (const [frame, outcome] of taken) outcomes.set(frame, outcome);
  }
  return frames.map((frame) => outcomes.get(frame) ?? FENCED);
}

async function take(
  tx: Db,
  frames: readonly BusFrame[],
  { at, waits }: { readonly at: number; readonly waits: boolean },
): Promise<ReadonlyMap<BusFrame, FrameOutcome>> {
  const named = new Map(frames.map((frame) => [`${frame.owner} ${frame.runId}`, frame]));
  const pairs = sql.join([...named.values()].map(({ owner, runId }) => sql`(${owner}::text, ${runId}::text)`));
  const query = tx
    .selectFrom("run")
    .select(["owner", "id", "repo_id", "state", "epoch", "last_seq", "said_epoch", "said_upto"])
    .where(sql<boolean>`(owner, id) in (${pairs})`)
    .forUpdate();
  const rows = await (waits ? query : query.skipLocked()).execute();
  const heads = new Map<string, BusHead & { readonly repo_id: string }>();
  for (const row of rows) heads.set(`${row.owner} ${row.id}`, row);

  const outcomes = new Map<BusFrame, FrameOutcome>();
  const placed: BusPosition[] = [];
  for (const frame of frames) {
    const name = `${frame.owner} ${frame.runId}`;
    const head = heads.get(name);
    if (head === undefined) continue;
    const appended = appendFrame(head, frame, at);
    outcomes.set(
      frame,
      appended === null ? FENCED : { ingested: toIngested(appended), repoId: appended.chunk && head.repo_id },
    );
    if (appended?.chunk == null) continue;
    placed.push(appended);
    heads.set(name, { ...head, ...appended });
  }
  if (placed.length > 0) await write(tx, placed);
  return outcomes;
}

async function write(tx: Db, placed: readonly BusPosition[]): Promise<void> {
  const chunks = placed.flatMap(({ chunk }) => (chunk === null ? [] : [chunk]));
  await tx.insertInto("bus_chunk").values(chunks).execute();
  const last = new Map(placed.map((frame) => [`${frame.chunk?.owner} ${frame.chunk?.run_id}`, frame]));
  const column = <T>(of: (frame: BusPosition) => T) => [...last.values()].map(of);
  await sql`
    update run set last_seq = latest.last_seq, said_epoch = latest.epoch, said_upto = latest.upto
    from unnest(${column(({ chunk }) => chunk?.owner)}::text[], ${column(({ chunk }) => chunk?.run_id)}::text[],
      ${column((frame) => frame.last_seq)}::integer[], ${column((frame) => frame.said_epoch)}::integer[],
      ${column((frame) => frame.said_upto)}::integer[]) as latest (owner, id, last_seq, epoch, upto)
    where run.owner = latest.owner and run.id = latest.id`.execute(tx);
}
