/**
 * Queues as they were looked at last. Whatever changes a queue is a change of its account, which raises the account's revision; so a view
 * that was read at this revision, or later, is the queue of now.
 */
import type { QueueView } from "../domain/worker-repositories.ts";

export interface QueueCache {
  find(owner: string, revision: number): QueueView | null;
  /** A view that was read when the account had this revision, or later: never one of a change that is not committed. */
  store(owner: string, revision: number, view: QueueView): void;
}

/** A thousand runs in each at most. */
const QUEUES_MAX = 100;

export function keepQueues(): QueueCache {
  const views = new Map<string, { readonly revision: number; readonly view: QueueView }>();
  return {
    find(owner, revision) {
      const cached = views.get(owner);
      return cached?.revision === revision ? cached.view : null;
    },
    store(owner, revision, view) {
      views.delete(owner);
      views.set(owner, { revision, view });
      if (views.size <= QUEUES_MAX) return;
      const [oldest] = views.keys();
      if (oldest !== undefined) views.delete(oldest);
    },
  };
}
