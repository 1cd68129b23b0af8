/** Whether the panel answers, and whether its hints reach us: what the thin bar at the top says. */
import { createStore } from "../store.ts";

export interface ConnectionStatus {
  /** The last request had an answer, whatever it said. */
  readonly isReached: boolean;
  /** Hints of changes come in. */
  readonly isLive: boolean;
}

export const reach = createStore<ConnectionStatus>({ isReached: true, isLive: false });

export function markOnline(isReached: boolean): void {
  if (reach.get().isReached !== isReached) reach.set({ ...reach.get(), isReached });
}

export function noteLive(isLive: boolean): void {
  const now = reach.get();
  if (now.isLive !== isLive) reach.set({ isReached: isLive || now.isReached, isLive });
}
