/**
 * The queue in front of the ledger: while one commit waits for the disk, batches of gateways gather, and the next commit takes as many
 * as fit. One commit is under way at a time, so batches are applied in the order in which they came.
 *
 * When a commit of several batches fails, each is tried on its own: a fault that one of them causes is not its neighbours'. That is
 * safe even if the commit had happened and only its answer was lost, because attempts that are known get the charge they had.
 */
import { CHARGES_MAX } from "@triptych/contracts";
import { StoreError } from "@triptych/storage";
import type { BatchOutcome, GatewayBatch } from "../domain/charge-batch.ts";
import type { Ledger } from "../domain/ledger.ts";
import type { Context } from "../domain/post-entry.ts";

export interface CommitQueueOptions {
  readonly ledger: Pick<Ledger, "applyBatches">;
  /** Asked once for each commit, when it begins. */
  readonly context: () => Context;
  /** Told after each commit: how many charges it held, and how long it took in milliseconds. */
  readonly onCommit?: (commit: { readonly batches: number; readonly charges: number; readonly ms: number }) => void;
}

export interface CommitQueue {
  /** Resolves after the commit. Rejects with a StoreError `overloaded` when too many wait. */
  submit(batch: GatewayBatch): Promise<BatchOutcome>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

interface Waiting {
  readonly batch: GatewayBatch;
  readonly done: PromiseWithResolvers<BatchOutcome>;
}

/** Heartbeats without charges are cheap, but not free. */
const BATCHES_AT_ONCE = 64;

/** A gateway has one batch under way: more than this is no queue but a fault. */
const WAITING_MOST = 4_096;

export function createCommitQueue({ ledger, context, onCommit }: CommitQueueOptions): CommitQueue {
  let waiting: Waiting[] = [];
  let pumping: Promise<void> | null = null;

  return {
    submit(batch) {
      if (waiting.length >= WAITING_MOST) {
        return Promise.reject(
          new StoreError("overloaded", `${WAITING_MOST} batches of charges wait for the ledger; try again.`),
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
    // Those that are submitted in the same turn of the event loop still join the first commit.
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
    const begun = performance.now();
    try {
      const outcomes = await ledger.applyBatches(
        group.map(({ batch }) => batch),
        context(),
      );
      for (const [index, { done }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) done.reject(new Error("The ledger gave no answer for this batch."));
        else done.resolve(outcome);
      }
      const charges = group.reduce((sum, { batch }) => sum + batch.charges.length, 0);
      onCommit?.({ batches: group.length, charges, ms: performance.now() - begun });
    } catch (error) {
      if (group.length === 1) return group[0]?.done.reject(error);
      for (const item of group) await apply([item]);
    }
  }
}
