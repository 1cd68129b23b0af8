/**
 * Runs due effects, woken by commit hints and by slow polling for lost ones. Each effect is leased while it runs; after a crash its lease
 * expires.
 */
import { claimEffect, renewEffect, EFFECT_LEASE_MS, type EffectKind, type EffectRecord } from "../domain/effects.ts";
import type { PanelStore } from "../domain/repositories.ts";
import { every, type Alarms } from "../timers.ts";

export interface Effects extends AsyncDisposable {
  /** Runs all due effects now and resolves when they are done. */
  poll(): Promise<void>;
}

/** Runs one effect and records its result in one commit. */
export type RunEffect = (owner: string, effect: EffectRecord) => Promise<void>;

export interface EffectsOptions {
  readonly store: PanelStore;
  readonly carryOut: Readonly<Record<EffectKind, RunEffect>>;
  readonly by: string;
  readonly now: () => number;
  readonly timers: Alarms;
  readonly onError: (error: unknown) => void;
}

type Due = Pick<EffectRecord, "runId" | "kind">;

/** Each runs a git process or two; more would only compete for CPU. */
const CONCURRENCY_MAX = 4;
const POLL_INTERVAL_MS = 1_000;
/** By then, the requests of a killed process have completed. */
const REQUEST_GRACE_MS = 2_000;

export async function openEffects(options: EffectsOptions): Promise<Effects> {
  const { store, carryOut, by, now, timers, onError } = options;
  const inHand = new Map<string, Promise<void>>();
  let looking: Promise<void> | null = null;
  let isWoken = false;
  const stopped = new AbortController();

  const poll = () => {
    isWoken = true;
    looking ??= pollWhileWoken().finally(() => (looking = null));
    return looking;
  };
  const wake = () => void poll().catch(onError);
  // On a single-node store, every existing lease belongs to a dead process.
  if (!store.fleet.isShared) await store.system.cutEffectLeases(now() + REQUEST_GRACE_MS);
  const unsubscribe = await store.listen((hint) => {
    if (hint === null || hint.type === "run") wake();
  });
  const stopLooking = every(timers, POLL_INTERVAL_MS, wake);
  wake();

  return {
    poll: async () => {
      await poll();
      await Promise.all(inHand.values());
    },
    async [Symbol.asyncDispose]() {
      stopped.abort();
      stopLooking();
      await unsubscribe();
      await looking;
      await Promise.all(inHand.values());
    },
  };

  async function pollWhileWoken(): Promise<void> {
    while (isWoken && !stopped.signal.aborted) {
      isWoken = false;
      const capacity = CONCURRENCY_MAX - inHand.size;
      if (capacity <= 0) return;
      const due = await store.system.dueEffects(now(), CONCURRENCY_MAX + capacity);
      for (const { owner, runId, kind } of due) {
        const name = `${owner} ${runId} ${kind}`;
        if (inHand.size >= CONCURRENCY_MAX || inHand.has(name)) continue;
        const work = takeEffect(name, owner, { runId, kind });
        inHand.set(name, work);
      }
    }
  }

  async function takeEffect(name: string, owner: string, effect: Due): Promise<void> {
    const isDone = await handle(owner, effect);
    inHand.delete(name);
    // Starts an effect that waited for a slot. A failed effect waits for the slow poll, because it would be due again immediately.
    if (isDone && !stopped.signal.aborted) wake();
  }

  async function handle(owner: string, effect: Due): Promise<boolean> {
    try {
      const claimed = await store.change(owner, (repositories) =>
        claimEffect(repositories, { ...effect, by, now: now(), isManual: false }),
      );
      if (claimed === null) return false;
      await keepingLease(options, owner, claimed, () => carryOut[claimed.kind](owner, claimed));
      return true;
    } catch (error) {
      // Retried after its lease expires.
      onError(error);
      return false;
    }
  }
}

type LeaseOptions = Pick<EffectsOptions, "store" | "by" | "now" | "timers" | "onError">;

/** Renews an effect's lease while `work` runs. */
export async function keepingLease<T>(
  { store, by, now, timers, onError }: LeaseOptions,
  owner: string,
  { runId, kind }: EffectRecord,
  work: () => Promise<T>,
): Promise<T> {
  const renew = () => store.change(owner, (repositories) => renewEffect(repositories, { runId, kind, by, now: now() }));
  const stop = every(timers, EFFECT_LEASE_MS / 3, () => void renew().catch(onError));
  try {
    return await work();
  } finally {
    stop();
  }
}
