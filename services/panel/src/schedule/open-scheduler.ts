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
  look(): Promise<void>;
}

export interface SchedulerOptions {
  readonly store: PanelStore;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly isolationMin?: IsolationLevel;
  readonly timers: Alarms;
  readonly meter: ScheduleMeter;
  readonly onTrouble: (error: unknown) => void;
}

const LOOK_MS = 1_000;
const AT_ONCE = 16;
/** Long enough for so many commits; and no longer late is what a node that died had in hand. */
const HELD_MS = 10_000;

export function openScheduler(options: SchedulerOptions): Scheduler {
  const { store, now, newId, isolationMin = "none", timers, meter, onTrouble } = options;
  const stopped = new AbortController();
  let looking: Promise<void> | null = null;
  const look = () => (looking ??= lookWhileDue().finally(() => (looking = null)));
  const stopLooking = every(timers, LOOK_MS, () => void look().catch(onTrouble));
  return {
    look,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      stopLooking();
      await looking?.catch(onTrouble);
    },
  };

  async function lookWhileDue(): Promise<void> {
    let taken = AT_ONCE;
    while (taken === AT_ONCE && !stopped.signal.aborted) {
      const due = await store.doors.takeDueSchedules({ now: now(), until: now() + HELD_MS, most: AT_ONCE });
      const byOwner = Map.groupBy(due, ({ owner }) => owner);
      // Changes of one account come one by one anyway, and each that waits would hold a connection.
      await Promise.all([...byOwner.values()].map(fireInTurn));
      taken = due.length;
    }
  }

  async function fireInTurn(due: readonly DueSchedule[]): Promise<void> {
    for (const { owner, ...name } of due)
      try {
        const fire = await store.change(owner, (books) =>
          fireSchedule(books, name, { now: now(), newId, isolationMin }),
        );
        if (fire !== null) meter.fired(fire.result);
      } catch (error) {
        // It is held until then, so that it is not due again at once.
        onTrouble(error);
      }
  }
}
