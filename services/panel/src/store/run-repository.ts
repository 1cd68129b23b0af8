/** Runs of an account. State, transition, message and effect of a step are always one commit. */
import { RUN_STATES, type RunPhase } from "@triptych/contracts";
import type { ChangeEvent, RunRepository, RunMove, RunStep } from "../domain/repositories.ts";
import type { BusItem, RunRecord } from "../domain/records.ts";
import { isActive, isLeased, phaseOf, type PhaseNeeds } from "../domain/run-states.ts";
import { effectOf } from "../domain/effects.ts";
import type { OwnBus } from "./bus-repository.ts";
import { effectRow } from "./delivery-repositories.ts";
import { runRow, toRun } from "./rows.ts";
import type { Db } from "./tables.ts";

const ACTIVE = RUN_STATES.filter(isActive);

export function createRunRepository(db: Db, owner: string, { bus, notify, moved }: RunListeners): RunRepository {
  const mine = () => runsOf(db, owner);
  return {
    async find(id) {
      const row = await mine().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toRun(row);
    },
    async list(filter, { below, limit }) {
      const matching =
        below === null ? matchingRuns(mine(), filter) : matchingRuns(mine(), filter).where("id", "<", below);
      return (await matching.orderBy("id", "desc").limit(limit).execute()).map(toRun);
    },
    async active(repoId) {
      const rows = await mine().where("repo_id", "=", repoId).where("state", "in", ACTIVE).orderBy("id").execute();
      return rows.map(toRun);
    },
    async countSince(kind, since) {
      const counted = db.selectFrom("run").select((eb) => eb.fn.countAll<number>().as("n"));
      const ofKind = counted.where("owner", "=", owner).where("kind", "=", kind).where("queued_at", ">=", since);
      return (await ofKind.executeTakeFirstOrThrow()).n;
    },
    async add(run) {
      // Its first message belongs to this commit.
      await db
        .insertInto("run")
        .values({ ...runRow(owner, run), last_seq: 1 })
        .execute();
      return record({ ...run, lastSeq: 1 }, { event: "created", from: null, at: run.queuedAt });
    },
    async move(run, step) {
      // Between two states of one holder only heartbeats move the lease: never overwrite it with an older value.
      const columns = columnsOf(owner, run, { keepsLease: isLeased(step.from) && isLeased(run.state) });
      // Workers append to the bus concurrently: increment the column instead of writing the value that was read.
      const { last_seq } = await updateOf(run.id)
        .set((eb) => ({ ...columns, last_seq: eb("last_seq", "+", 1) }))
        .returning("last_seq")
        .executeTakeFirstOrThrow();
      return record({ ...run, lastSeq: last_seq }, step);
    },
    async learn(run) {
      const learnt = { ...run, revision: run.revision + 1 };
      await updateOf(run.id)
        .set(columnsOf(owner, learnt, { keepsLease: true }))
        .execute();
      hint(learnt);
    },
    async askToCancel(id, at) {
      const updated = await updateOf(id)
        .set((eb) => ({ cancel_requested_at: at, revision: eb("revision", "+", 1) }))
        .where("cancel_requested_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      if (updated !== undefined) hint(toRun(updated));
    },
  };

  function updateOf(id: string) {
    return db.updateTable("run").where("owner", "=", owner).where("id", "=", id);
  }

  /** The effect is a row of the same commit, so that it cannot be lost. */
  async function record(run: RunRecord, step: RecordedStep): Promise<number> {
    const { event, from, at } = step;
    const row = { owner, run_id: run.id, revision: run.revision, at };
    await db
      .insertInto("run_transition")
      .values({ ...row, event, from_state: from, to_state: run.state })
      .execute();
    const effect = effectOf(run, at);
    if (effect !== null) await db.insertInto("effect").values(effectRow(owner, effect)).execute();
    hint(run);
    moved({ from, run, at });
    await bus.insert(run, stateItem(run, step));
    return run.lastSeq;
  }

  function hint({ id, repoId, revision }: RunRecord): void {
    notify({ type: "run", owner, id, repoId, revision });
  }
}

function columnsOf(owner: string, run: RunRecord, { keepsLease }: { readonly keepsLease: boolean }) {
  const { lease_until, ...row } = runRow(owner, run);
  return keepsLease ? row : { ...row, lease_until };
}

function runsOf(db: Db, owner: string) {
  return db.selectFrom("run").selectAll().where("owner", "=", owner);
}

type RunQuery = ReturnType<typeof runsOf>;

function matchingRuns(all: RunQuery, filter: Parameters<RunRepository["list"]>[0]): RunQuery {
  const { repoId, state, phase, kind, since, candidateId } = filter;
  let query = all;
  if (repoId !== undefined) query = query.where("repo_id", "=", repoId);
  if (state !== undefined) query = query.where("state", "=", state);
  if (kind !== undefined) query = query.where("kind", "=", kind);
  if (since !== undefined) query = query.where("queued_at", ">=", since);
  if (candidateId !== undefined) query = query.where("candidate_id", "=", candidateId);
  if (phase === undefined) return query;
  return query.where((eb) =>
    eb.or(
      [0, 1].flatMap((wants) =>
        [0, 1].map((needs) => {
          const states = statesOf(phase, { wantsPr: wants === 1, needsAttention: needs === 1 });
          return eb.and([eb("wants_pr", "=", wants), eb("needs_attention", "=", needs), eb("state", "in", states)]);
        }),
      ),
    ),
  );
}

/** The empty state matches nothing: SQL has no empty list. */
function statesOf(phase: RunPhase, wants: PhaseNeeds) {
  const states: string[] = RUN_STATES.filter((state) => phaseOf(state, wants) === phase);
  return (states.length > 0 ? states : [""]) as RunRecord["state"][];
}

interface RunListeners {
  readonly bus: Pick<OwnBus, "insert">;
  readonly notify: (hint: ChangeEvent) => void;
  readonly moved: (move: RunMove) => void;
}

type RecordedStep = RunStep | { readonly event: "created"; readonly from: null; readonly at: number };

function stateItem({ state, attempt, result }: RunRecord, { event, from, at }: RecordedStep): BusItem {
  const text = from === null ? state : `${from} → ${state}`;
  return {
    at,
    from: { role: "panel", agent: null, cli: null, model: null },
    kind: "state",
    text: result === null ? text : `${text} (${result.code})`,
    data: { state, from, event, attempt, ...(result !== null && { code: result.code }) },
    round: null,
    wseq: null,
  };
}
