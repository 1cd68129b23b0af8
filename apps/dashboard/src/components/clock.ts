/** One timer per tab, stopped while unused or hidden. */
import { useSyncExternalStore } from "react";

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
