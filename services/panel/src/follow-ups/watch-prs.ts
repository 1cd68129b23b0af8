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

const AT_ONCE = 4;
const DUE_MAX = 50;
const POLL_INTERVAL_MS = 1_000;

export async function openPrWatcher({ store, pollPr, now, timers, onError }: PrWatcherOptions): Promise<PrWatcher> {
  const inHand = new Map<string, Promise<void>>();
  let looking: Promise<void> | null = null;
  const stopped = new AbortController();
  // On a single-node store, every existing lease belongs to a dead process.
  if (!store.fleet.isShared) await store.system.cutWatchLeases(now());

  const look = () => {
    looking ??= takeDue().finally(() => (looking = null));
    return looking;
  };
  const stopLooking = every(timers, POLL_INTERVAL_MS, () => void look().catch(onError));

  return {
    async poll() {
      let due = "";
      for (;;) {
        await look();
        await Promise.all(inHand.values());
        const left = JSON.stringify(await store.system.dueWatches(now(), DUE_MAX));
        // The same ones again: another node holds their repository.
        if (left === "[]" || left === due) return;
        due = left;
      }
    },
    async [Symbol.asyncDispose]() {
      stopped.abort();
      stopLooking();
      await looking;
      await Promise.all(inHand.values());
    },
  };

  async function takeDue(): Promise<void> {
    const due = await store.system.dueWatches(now(), DUE_MAX);
    for (const { owner, runId, repoId } of due) {
      const name = `${owner} ${repoId}`;
      if (stopped.signal.aborted || inHand.size >= AT_ONCE || inHand.has(name)) continue;
      const work = pollPr(owner, runId)
        // Polled again after its lease.
        .catch(onError)
        .finally(() => inHand.delete(name));
      inHand.set(name, work);
    }
  }
}
