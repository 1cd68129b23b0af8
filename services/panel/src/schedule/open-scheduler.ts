/**
 * Fires due schedules with one indexed query a second. A crash only delays claimed schedules, because results are recorded with their runs.
 */
import type { IsolationLevel, FireResult } from "@triptych/contracts";
import { Counter, type Registry } from "prom-client";
import { fireSchedule } from "../domain/fire-schedule.ts";
import type { PanelStore } from "../domain/repositories.ts";
import type { DueSchedule } from "../domain/schedule-repository.ts";
import { every, type Alarms } from "../timers.ts";

export interface Scheduler extends AsyncDisposable {
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
const BATCH_SIZE = 16;
/** Time for a batch of commits, and the longest delay after a crash. */
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
    let taken = BATCH_SIZE;
    while (taken === BATCH_SIZE && !stopped.signal.aborted) {
      const due = await store.system.takeDueSchedules({ now: now(), until: now() + CLAIM_MS, most: BATCH_SIZE });
      const byOwner = Map.groupBy(due, ({ owner }) => owner);
      // Sequential per account, because its transactions are serialized and each waiting one would hold a connection.
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
        // The claim stays, so that the schedule is not due again immediately.
        onError(error);
      }
  }
}

export interface ScheduleMeter {
  readonly fired: (result: FireResult) => void;
}

export interface ScheduleMetrics extends ScheduleMeter {
  readonly showIn: (registry: Registry) => void;
}

export function createScheduleMetrics(): ScheduleMetrics {
  const fires = new Counter({
    name: "panel_schedule_fires_total",
    help: "Schedule fires, by result: started, or the reason why no run was created.",
    labelNames: ["result"] as const,
    registers: [],
  });
  return { fired: (result) => fires.inc({ result }), showIn: (registry) => registry.registerMetric(fires) };
}
