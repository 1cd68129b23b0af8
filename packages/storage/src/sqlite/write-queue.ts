/**
 * The write queue: statements, procedures and transactions share commits, because a commit costs a hundred times more
 * than the work. If a member fails, only that member is undone; if the commit fails, the whole group is rejected.
 */
import { StoreError } from "../errors.ts";
import type { Result, Statement } from "../statement.ts";
import { createInteractiveTransaction, type GroupMember, type WriteTransaction } from "./interactive-transaction.ts";
import type { Executor } from "./writer-client.ts";
import type { ProcedureCall } from "./writer-procedures.ts";
import { type Job, type Outcome, toError, type WriterRequest } from "./writer-protocol.ts";

export interface WriteQueue {
  write(statement: Statement): Promise<Result>;
  /** Resolves after the commit, with the result of the procedure. */
  call(call: ProcedureCall): Promise<unknown>;
  begin(options: { readonly limitMs: number }): Promise<WriteTransaction>;
  close(): Promise<void>;
}

/** Larger groups would only delay the first job: the disk is no longer the bottleneck. */
const GROUP_JOBS = 64;

/** A group with transactions commits after this time even if it is not full. About ten commits of a slow disk. */
const GROUP_MS = 50;

/** A longer queue would mean several seconds of work: rejecting writes is better than running out of memory. */
const QUEUED_JOBS = 20_000;

type Waiting = WaitingJob | WaitingTransaction;

interface WaitingJob {
  readonly kind: "job";
  readonly job: Job;
  readonly done: PromiseWithResolvers<Result>;
}

interface WaitingTransaction {
  readonly kind: "transaction";
  readonly limitMs: number;
  readonly done: PromiseWithResolvers<WriteTransaction>;
}

export function createWriteQueue(executor: Executor): WriteQueue {
  const queue: Waiting[] = [];
  const send = senderOf(executor);
  let pumping: Promise<void> | null = null;
  let closing: Promise<void> | null = null;

  return {
    write: (statement) => perform({ kind: "statement", statement }),
    call: async (call) => (await perform({ kind: "call", call })).output,
    begin({ limitMs }) {
      const done = Promise.withResolvers<WriteTransaction>();
      enqueue({ kind: "transaction", limitMs, done });
      return done.promise;
    },
    close() {
      closing ??= (pumping ?? Promise.resolve()).then(() => executor.close());
      return closing;
    },
  };

  function perform(job: Job): Promise<Result> {
    const done = Promise.withResolvers<Result>();
    enqueue({ kind: "job", job, done });
    return done.promise;
  }

  function enqueue(waiting: Waiting): void {
    if (closing !== null) return waiting.done.reject(new StoreError("closed", "The store is closed."));
    if (queue.length >= QUEUED_JOBS) return waiting.done.reject(queueFull());
    queue.push(waiting);
    pumping ??= pump();
  }

  async function pump(): Promise<void> {
    // Wait one microtask, so that jobs started in the same tick join the same group.
    await Promise.resolve();
    while (queue.length > 0) await runGroup();
    // Must happen in the same tick as the last check of the queue, or a job added in between would wait forever.
    pumping = null;
  }

  async function runGroup(): Promise<void> {
    const members: GroupMember[] = [];
    const until = performance.now() + GROUP_MS;
    try {
      let isCommitted = false;
      while (!isCommitted) {
        const [head] = queue;
        if (head === undefined || members.length >= GROUP_JOBS || performance.now() > until) {
          await send({ kind: "flush" });
          isCommitted = true;
        } else if (head.kind === "transaction") await lendWriter(head, members);
        else isCommitted = await runJobs(members);
      }
      for (const member of members) member.settle();
    } catch (error) {
      for (const member of members) member.fail(error);
    }
  }

  async function lendWriter({ done, limitMs }: WaitingTransaction, members: GroupMember[]): Promise<void> {
    queue.shift();
    const { transaction, ended } = createInteractiveTransaction(send, limitMs);
    done.resolve(transaction);
    const member = await ended;
    if (member !== null) members.push(member);
  }

  /** Runs the jobs before the next transaction in one message, with the commit if no transaction follows. */
  async function runJobs(members: GroupMember[]): Promise<boolean> {
    const waiting = takeJobs(queue, GROUP_JOBS - members.length);
    const outcomes: Outcome[] = [];
    // Add the members before the result is known, so that a lost group rejects them too.
    for (const [index, { done }] of waiting.entries())
      members.push({ settle: () => settle(done, outcomes[index]), fail: done.reject });
    const isLast = queue.length === 0 || members.length >= GROUP_JOBS;
    outcomes.push(...(await send({ kind: "jobs", jobs: waiting.map(({ job }) => job), isLast })));
    return isLast;
  }
}

/** Takes the jobs before the next transaction from the queue. */
function takeJobs(queue: Waiting[], limit: number): WaitingJob[] {
  const jobs: WaitingJob[] = [];
  for (const waiting of queue) {
    if (waiting.kind !== "job" || jobs.length === limit) break;
    jobs.push(waiting);
  }
  queue.splice(0, jobs.length);
  return jobs;
}

function senderOf(executor: Executor) {
  return async (request: WriterRequest): Promise<readonly Outcome[]> => {
    const response = await executor.perform(request);
    if (!response.ok) throw toError(response.error);
    return response.outcomes;
  };
}

function settle(done: PromiseWithResolvers<Result>, outcome: Outcome | undefined): void {
  if (outcome === undefined) done.reject(new Error("The writer returned no result for this job."));
  else if (outcome.ok) done.resolve(outcome.result);
  else done.reject(toError(outcome.error));
}

function queueFull(): StoreError {
  const message = `Write queue full: more than ${QUEUED_JOBS} writes are waiting; try again later.`;
  return new StoreError("overloaded", message);
}
