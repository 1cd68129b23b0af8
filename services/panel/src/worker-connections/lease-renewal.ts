/** Heartbeats move leases. Those that come while a write is under way are written together by the next one. */
import type { Beat, Fleet } from "../domain/worker-repositories.ts";

export interface LeasesKept {
  keep(beats: readonly Beat[]): void;
  stop(): Promise<void>;
}

export function keepLeases(
  { moveLeases }: Pick<Fleet, "moveLeases">,
  onTrouble: (error: unknown, what: string) => void,
): LeasesKept {
  let waiting: Beat[] = [];
  let writing: Promise<void> | null = null;
  return {
    keep(beats) {
      waiting.push(...beats);
      if (waiting.length > 0) writing ??= write();
    },
    stop: async () => void (await writing),
  };

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const now = waiting;
      waiting = [];
      // Not kept for another try: the next heartbeat says the same, and later.
      await moveLeases(now).catch((error: unknown) => onTrouble(error, "moving leases failed"));
    }
    writing = null;
  }
}
