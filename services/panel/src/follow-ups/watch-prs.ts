/** Polls open pull requests when due, a few repositories at once and one pull request of each. */
import type { PanelStore } from "../domain/repositories.ts";
import { every, type Alarms } from "../timers.ts";

export interface PrWatcher extends AsyncDisposable {
  /** Polls all due pull requests now and resolves when they are done. */
  poll(): Promise<void>;
}

export interface PrWatcherOptions {
  readonly store: PanelStore;
  readonly pollPr: (owner: string, runId: string) => Promise<void>;
  readonly now: () => number;
  readonly timers: Alarms;
  readonly onError: (error: unknown) => void;
}

const CONCURRENCY_MAX = 4;
const DUE_MAX = 50;
const POLL_INTERVAL_MS = 1_000;

export async function openPrWatcher({ store, pollPr, now, timers, onError }: PrWatcherOptions): Promise<PrWatcher> {
  const polls = new Map<string, Promise<void>>();
  let polling: Promise<void> | null = null;
  const stopped = new AbortController();
  // On a single-node store, every existing lease belongs to a dead process.
  if (!store.fleet.isShared) await store.system.cutWatchLeases(now());

  const pollDueOnce = () => {
    polling ??= pollDue().finally(() => (polling = null));
    return polling;
  };
  const stopTimer = every(timers, POLL_INTERVAL_MS, () => void pollDueOnce().catch(onError));

  return {
    async poll() {
      let due = "";
      for (;;) {
        await pollDueOnce();
        await Promise.all(polls.values());
        const left = JSON.stringify(await store.system.dueWatches(now(), DUE_MAX));
        // The same pull requests are due again: another node holds their repository.
        if (left === "[]" || left === due) return;
        due = left;
      }
    },
    async [Symbol.asyncDispose]() {
      stopped.abort();
      stopTimer();
      await polling;
      await Promise.all(polls.values());
    },
  };

  async function pollDue(): Promise<void> {
    const due = await store.system.dueWatches(now(), DUE_MAX);
    for (const { owner, runId, repoId } of due) {
      const key = `${owner} ${repoId}`;
      if (stopped.signal.aborted || polls.size >= CONCURRENCY_MAX || polls.has(key)) continue;
      const poll = pollPr(owner, runId)
        // It is polled again when its lease expires.
        .catch(onError)
        .finally(() => polls.delete(key));
      polls.set(key, poll);
    }
  }
}
