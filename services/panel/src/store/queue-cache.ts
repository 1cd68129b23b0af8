/**
 * Caches queue views by account revision. Every queue change raises the revision, so a view read at the current revision or later is
 * current.
 */
import type { QueueView } from "../queue/repository.ts";

export interface QueueCache {
  find(owner: string, revision: number): QueueView | null;
  /** Stores a view read at this revision or later; never an uncommitted one. */
  store(owner: string, revision: number, view: QueueView): void;
}

/** Each contains up to a thousand runs. */
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
