/** Renews leases on heartbeats. Renewals that arrive during a write are batched into the next one. */
import type { LeaseRenewal, Fleet } from "../domain/worker-repositories.ts";

export interface LeaseRenewals {
  keep(beats: readonly LeaseRenewal[]): void;
  stop(): Promise<void>;
}

export function keepLeases(
  { moveLeases }: Pick<Fleet, "moveLeases">,
  onError: (error: unknown, what: string) => void,
): LeaseRenewals {
  let waiting: LeaseRenewal[] = [];
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
      // Not retried: the next heartbeat renews the lease to a later time.
      await moveLeases(now).catch((error: unknown) => onError(error, "moving leases failed"));
    }
    writing = null;
  }
}
