/**
 * Queues as they were looked at last. Whatever changes a queue is a change of its account, which raises the account's revision; so a view
 * that was read at this revision, or later, is the queue of now.
 */
import type { QueueView } from "../domain/worker-repositories.ts";

export interface KeptQueues {
  find(owner: string, revision: number): QueueView | null;
  /** A view that was read when the account had this revision, or later: never one of a change that is not committed. */
  put(owner: string, revision: number, view: QueueView): void;
}

/** A thousand runs in each at most. */
const KEPT = 100;

export function keepQueues(): KeptQueues {
  const views = new Map<string, { readonly revision: number; readonly view: QueueView }>();
  return {
    find(owner, revision) {
      const kept = views.get(owner);
      return kept?.revision === revision ? kept.view : null;
    },
    put(owner, revision, view) {
      views.delete(owner);
      views.set(owner, { revision, view });
      if (views.size <= KEPT) return;
      const [oldest] = views.keys();
      if (oldest !== undefined) views.delete(oldest);
    },
  };
}
