/**
 * Who may write next. One SQLite file has one writer, so writes wait in a queue; those that wait together are committed
 * together: each job runs in a savepoint of its own inside one outer transaction, and all are acknowledged after its single
 * commit, because waiting for the disk costs a hundred times more than the work. A job that fails is undone alone. When the
 * commit fails, or the outer transaction is lost, every job of the group is rejected: nothing of it is stored.
 *
 * An interactive transaction takes its turn as one job of a group. While it holds the turn nobody else writes, so its time
 * is limited; what was queued behind it runs after it, in the same group if there is room.
 */
import { StoreError } from "../errors.ts";
import type { Result, Statement } from "../statement.ts";
import type { Executor } from "./writer-client.ts";
import { createHolder, type InteractiveTransaction, type WriteTransaction } from "./interactive-transaction.ts";
import type { ProcedureCall } from "./writer-procedures.ts";
import { type Outcome, type Step, toError } from "./writer-protocol.ts";

export type { WriteTransaction } from "./interactive-transaction.ts";

export interface WriteQueue {
  /** Resolves after the commit. */
  write(statement: Statement): Promise<Result>;
  /** Resolves after the commit, with what the procedure answered. */
  call(call: ProcedureCall): Promise<unknown>;
  /** Resolves when the turn has come. */
  begin(options: { readonly limitMs: number }): Promise<WriteTransaction>;
  /** Lets what is queued finish, then closes the executor. */
  close(): Promise<void>;
}

/** More jobs in one commit gain nothing (the disk is no longer what is waited for) and make the first of them wait longer. */
const GROUP_JOBS = 64;

/** A group that is not full by then commits anyway: about ten commits of a slow disk, unnoticed by the first of its jobs. */
const GROUP_MS = 50;

/** A queue longer than this is several seconds of work: saying so is kinder than growing until memory ends. */
const QUEUED_JOBS = 20_000;

type Job = StepJob | TransactionJob;

interface StepJob {
  readonly kind: "step";
  readonly step: Step;
  readonly done: PromiseWithResolvers<Result>;
}

interface TransactionJob {
  readonly kind: "turn";
  readonly limitMs: number;
  readonly granted: PromiseWithResolvers<WriteTransaction>;
}

export function createWriteQueue(executor: Executor): WriteQueue {
  let queue: Job[] = [];
  let pumping: Promise<void> | null = null;
  let closing: Promise<void> | null = null;

  return {
    write: (statement) => perform({ kind: "alone", statement }),
    call: async (call) => (await perform({ kind: "call", call })).output,
    begin({ limitMs }) {
      const granted = Promise.withResolvers<WriteTransaction>();
      const refusal = enqueue({ kind: "turn", limitMs, granted });
      return refusal === null ? granted.promise : Promise.reject(refusal);
    },
    close() {
      closing ??= (pumping ?? Promise.resolve()).then(() => executor.close());
      return closing;
    },
  };

  function perform(step: Step): Promise<Result> {
    const done = Promise.withResolvers<Result>();
    const refusal = enqueue({ kind: "step", step, done });
    return refusal === null ? done.promise : Promise.reject(refusal);
  }

  function enqueue(job: Job): StoreError | null {
    if (closing !== null) return new StoreError("closed", "The store is closed.");
    if (queue.length >= QUEUED_JOBS) {
      return new StoreError(
        "overloaded",
        `More than ${QUEUED_JOBS} writes are waiting for the disk; try again in a moment.`,
      );
    }
    queue.push(job);
    pumping ??= pump();
    return null;
  }

  async function pump(): Promise<void> {
    // One tick later: what the caller starts in the same tick belongs in the same group.
    await Promise.resolve();
    while (queue.length > 0) await runGroup();
    // In the same tick as the last look at the queue: a job that came in between would wait for ever.
    pumping = null;
  }

  async function runGroup(): Promise<void> {
    const members: Member[] = [];
    const until = performance.now() + GROUP_MS;
    let ahead: Step[] = [{ kind: "begin" }];
    let open = true;
    try {
      while (open) {
        const head = queue[0];
        if (head === undefined || members.length >= GROUP_JOBS || performance.now() > until) {
          // Nothing was sent yet when every transaction of the group ended without a statement.
          if (ahead[0]?.kind !== "begin") await send([...ahead, { kind: "commit" }]);
          open = false;
        } else if (head.kind === "turn") {
          queue.shift();
          ahead = await hold(head, ahead, members);
        } else {
          const jobs = takeSteps(GROUP_JOBS - members.length);
          open = queue[0]?.kind === "turn" && members.length + jobs.length < GROUP_JOBS;
          const steps = jobs.map(({ step }) => step);
          const settlers = jobs.map(({ done }) => addMember(members, done));
          const outcomes = await send(open ? [...ahead, ...steps] : [...ahead, ...steps, { kind: "commit" }]);
          ahead = [];
          for (const [index, settle] of settlers.entries()) settle(outcomes[index]);
        }
      }
      for (const member of members) member.settle();
    } catch (error) {
      for (const member of members) member.fail(error);
    }
  }

  function takeSteps(limit: number): StepJob[] {
    const jobs: StepJob[] = [];
    for (const job of queue) {
      if (job.kind !== "step" || jobs.length === limit) break;
      jobs.push(job);
    }
    queue = queue.slice(jobs.length);
    return jobs;
  }

  /** Lends the writer to one transaction until it ends; returns the steps that its end leaves for the next message. */
  async function hold(job: TransactionJob, ahead: readonly Step[], members: Member[]): Promise<Step[]> {
    const holder: InteractiveTransaction = createHolder({ send, ahead, limitMs: job.limitMs });
    job.granted.resolve(holder.transaction);
    const end = await holder.ended;
    if (end.kind === "commit") {
      members.push({ settle: () => end.done.resolve(), fail: (error) => end.done.reject(error) });
    }
    if (end.lost !== null) throw end.lost;

    return [...end.ahead];
  }

  async function send(steps: readonly Step[]): Promise<readonly Outcome[]> {
    const answer = await executor.perform(steps);
    if (!answer.ok) throw toError(answer.fault);

    return answer.outcomes;
  }
}

interface Member {
  settle(): void;
  fail(error: unknown): void;
}

/** Takes its place in the group before its outcome is known, so that a lost group rejects it too. */
function addMember(members: Member[], done: PromiseWithResolvers<Result>): (outcome: Outcome | undefined) => void {
  let outcome: Outcome | undefined;
  members.push({
    settle() {
      if (outcome === undefined) return done.reject(new Error("The writer gave no answer for this statement."));
      if (outcome.ok) return done.resolve(outcome.result);
      done.reject(toError(outcome.fault));
    },
    fail: (error) => done.reject(error),
  });
  return (found) => (outcome = found);
}
