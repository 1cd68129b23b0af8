/**
 * The write queue: jobs run in savepoints of one outer transaction, because a commit costs a hundred times more than
 * the work. A failed job is undone alone; a failed commit rejects the whole group. An interactive transaction blocks
 * other writers, so its duration is limited.
 */
import { StoreError } from "../errors.ts";
import type { Result, Statement } from "../statement.ts";
import type { Executor } from "./writer-client.ts";
import {
  createInteractiveTransaction,
  type InteractiveTransaction,
  type WriteTransaction,
} from "./interactive-transaction.ts";
import type { ProcedureCall } from "./writer-procedures.ts";
import { type Outcome, type Step, toError } from "./writer-protocol.ts";

export type { WriteTransaction } from "./interactive-transaction.ts";

export interface WriteQueue {
  write(statement: Statement): Promise<Result>;
  /** Resolves after the commit, with the result of the procedure. */
  call(call: ProcedureCall): Promise<unknown>;
  begin(options: { readonly limitMs: number }): Promise<WriteTransaction>;
  close(): Promise<void>;
}

/** Larger groups gain nothing, because the disk is no longer the bottleneck, and delay the first job. */
const GROUP_JOBS = 64;

/** A group commits after this time even if it is not full: about ten commits of a slow disk. */
const GROUP_MS = 50;

/** A longer queue means several seconds of work: rejecting is better than running out of memory. */
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
        `Write queue full: more than ${QUEUED_JOBS} writes are waiting; try again later.`,
      );
    }
    queue.push(job);
    pumping ??= pump();
    return null;
  }

  async function pump(): Promise<void> {
    // Deferred by one microtask: jobs started in the same tick join the same group.
    await Promise.resolve();
    while (queue.length > 0) await runGroup();
    // In the same tick as the last check of the queue: a job added in between would wait forever.
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
          // Nothing was sent if every transaction of the group ended without a statement.
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
    const holder: InteractiveTransaction = createInteractiveTransaction({ send, ahead, limitMs: job.limitMs });
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
    if (!answer.ok) throw toError(answer.error);

    return answer.outcomes;
  }
}

interface Member {
  settle(): void;
  fail(error: unknown): void;
}

/** Joins the group before its result is known, so that a lost group rejects it too. */
function addMember(members: Member[], done: PromiseWithResolvers<Result>): (outcome: Outcome | undefined) => void {
  let outcome: Outcome | undefined;
  members.push({
    settle() {
      if (outcome === undefined) return done.reject(new Error("The writer returned no result for this statement."));
      if (outcome.ok) return done.resolve(outcome.result);
      done.reject(toError(outcome.error));
    },
    fail: (error) => done.reject(error),
  });
  return (found) => (outcome = found);
}
