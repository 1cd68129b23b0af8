/** What components watch: a store, and the time, by one timer per tab that stops while unused or hidden. */
import { useSyncExternalStore } from "react";
import type { Store } from "../store.ts";

let now = Date.now();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(listener: () => void): () => void {
  watchers.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    watchers.delete(listener);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (document.hidden) return;
  now = Date.now();
  for (const listener of watchers) listener();
}

/** Milliseconds, updated once a second. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now);
}

/** A change of the store renders everywhere in the same paint. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.watch, store.get);
}
