/**
 * While one commit waits for the disk, batches are collected for the next one in arrival order. If a commit of several
 * batches fails, each is retried alone. A retry after a lost response is safe, because known attempts get their
 * existing charge.
 */
import { CHARGES_MAX } from "@triptych/contracts";
import { StoreError } from "@triptych/storage";
import type { BatchOutcome, GatewayBatch } from "../domain/charge-batch.ts";
import type { Ledger } from "../domain/ledger.ts";
import type { Context } from "../domain/post-entry.ts";

export interface CommitQueueOptions {
  readonly ledger: Pick<Ledger, "applyBatches">;
  /** Evaluated at the start of each commit. */
  readonly context: () => Context;
  /** Called after each commit; duration in milliseconds. */
  readonly onCommit?: (commit: { readonly batches: number; readonly charges: number; readonly ms: number }) => void;
}

export interface CommitQueue {
  /** Resolves after the commit. Rejects with a StoreError `overloaded` if the queue is full. */
  submit(batch: GatewayBatch): Promise<BatchOutcome>;
  idle(): Promise<void>;
}

interface Waiting {
  readonly batch: GatewayBatch;
  readonly done: PromiseWithResolvers<BatchOutcome>;
}

/** Limits batches too, because even heartbeats without charges have a cost. */
const BATCHES_AT_ONCE = 64;

/** Each gateway has at most one batch in flight, so a longer queue is an error. */
const WAITING_MAX = 4_096;

export function createCommitQueue({ ledger, context, onCommit }: CommitQueueOptions): CommitQueue {
  let waiting: Waiting[] = [];
  let pumping: Promise<void> | null = null;

  return {
    submit(batch) {
      if (waiting.length >= WAITING_MAX) {
        return Promise.reject(
          new StoreError("overloaded", `Commit queue full: ${WAITING_MAX} batches are waiting. Try again.`),
        );
      }
      const done = Promise.withResolvers<BatchOutcome>();
      waiting.push({ batch, done });
      pumping ??= pump();
      return done.promise;
    },
    idle: () => pumping ?? Promise.resolve(),
  };

  async function pump(): Promise<void> {
    // Batches submitted in the same turn of the event loop join the first commit.
    await Promise.resolve();
    while (waiting.length > 0) await apply(takeGroup());
    pumping = null;
  }

  function takeGroup(): Waiting[] {
    let charges = 0;
    const end = waiting.findIndex(({ batch }, index) => {
      charges += batch.charges.length;
      return index > 0 && (charges > CHARGES_MAX || index >= BATCHES_AT_ONCE);
    });
    const group = end === -1 ? waiting : waiting.slice(0, end);
    waiting = end === -1 ? [] : waiting.slice(end);
    return group;
  }

  async function apply(group: readonly Waiting[]): Promise<void> {
    const startedAt = performance.now();
    try {
      const outcomes = await ledger.applyBatches(
        group.map(({ batch }) => batch),
        context(),
      );
      for (const [index, { done }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) done.reject(new Error("The ledger returned no result for this batch."));
        else done.resolve(outcome);
      }
      const charges = group.reduce((sum, { batch }) => sum + batch.charges.length, 0);
      onCommit?.({ batches: group.length, charges, ms: performance.now() - startedAt });
    } catch (error) {
      if (group.length === 1) return group[0]?.done.reject(error);
      for (const item of group) await apply([item]);
    }
  }
}
