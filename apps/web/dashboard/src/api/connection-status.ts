/** Whether the panel responds and the hint stream is open, shown by the bar at the top; and whether it runs on this machine. */
import { createStore } from "../store.ts";

export interface ConnectionStatus {
  /** Whether the last request got a response, of any status. */
  readonly isReached: boolean;
  /** Whether the hint stream is open. */
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

/** Whether the panel runs on the user's machine: then the user can read its files. */
export function isLoopback(): boolean {
  const { hostname } = location;
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
