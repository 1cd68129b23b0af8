/**
 * Makes the runs of schedules when it is time. One question a second for all of them: what is due stands first in an index, however
 * many are not. A node that dies with some in hand only makes them late; what it had done is recorded with its runs.
 */
import type { IsolationLevel } from "@triptych/contracts";
import { fireSchedule } from "../domain/fire-schedule.ts";
import type { PanelStore } from "../domain/repositories.ts";
import type { DueSchedule } from "../domain/schedule-repository.ts";
import { every, type Alarms } from "../timers.ts";
import type { ScheduleMeter } from "./schedule-metrics.ts";

export interface Scheduler extends AsyncDisposable {
  /** Acts on all that is due; resolves when it has. */
  poll(): Promise<void>;
}

export interface SchedulerOptions {
  readonly store: PanelStore;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly isolationMin?: IsolationLevel;
  readonly timers: Alarms;
  readonly meter: ScheduleMeter;
  readonly onError: (error: unknown) => void;
}

const POLL_INTERVAL_MS = 1_000;
const AT_ONCE = 16;
/** Long enough for so many commits; and no longer late is what a node that died had in hand. */
const CLAIM_MS = 10_000;

export function openScheduler(options: SchedulerOptions): Scheduler {
  const { store, now, newId, isolationMin = "none", timers, meter, onError } = options;
  const stopped = new AbortController();
  let looking: Promise<void> | null = null;
  const poll = () => (looking ??= pollWhileDue().finally(() => (looking = null)));
  const stopLooking = every(timers, POLL_INTERVAL_MS, () => void poll().catch(onError));
  return {
    poll,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      stopLooking();
      await looking?.catch(onError);
    },
  };

  async function pollWhileDue(): Promise<void> {
    let taken = AT_ONCE;
    while (taken === AT_ONCE && !stopped.signal.aborted) {
      const due = await store.system.takeDueSchedules({ now: now(), until: now() + CLAIM_MS, most: AT_ONCE });
      const byOwner = Map.groupBy(due, ({ owner }) => owner);
      // Changes of one account come one by one anyway, and each that waits would hold a connection.
      await Promise.all([...byOwner.values()].map(fireSequentially));
      taken = due.length;
    }
  }

  async function fireSequentially(due: readonly DueSchedule[]): Promise<void> {
    for (const { owner, ...name } of due)
      try {
        const fire = await store.change(owner, (repositories) =>
          fireSchedule(repositories, name, { now: now(), newId, isolationMin }),
        );
        if (fire !== null) meter.fired(fire.result);
      } catch (error) {
        // It is held until then, so that it is not due again at once.
        onError(error);
      }
  }
}
