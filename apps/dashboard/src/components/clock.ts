/** The present, for everything that says how long ago: one timer for the whole tab, and none while nothing asks or it is hidden. */
import { useSyncExternalStore } from "react";

let now = Date.now();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(told: () => void): () => void {
  watchers.add(told);
  timer ??= setInterval(tick, 1_000);
  return () => {
    watchers.delete(told);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (document.hidden) return;
  now = Date.now();
  for (const told of watchers) told();
}

/** Milliseconds, moved once a second. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now);
}
