/** What must be remembered of schedules: when each is due next, and what became of the times that have passed. */
import type { FireResult, RunKind } from "@triptych/contracts";
import type { Page } from "./repositories.ts";

/** One of the two schedules of a repo: `maintain` or `explore`. */
export interface ScheduleName {
  readonly repoId: string;
  readonly kind: RunKind;
}

export type DueSchedule = ScheduleName & { readonly owner: string };

export interface PlannedFire extends ScheduleName {
  /** As the pattern says. */
  readonly scheduledFor: number;
  /** With its jitter. */
  readonly dueAt: number;
}

export interface FireRecord extends ScheduleName {
  readonly id: string;
  readonly scheduledFor: number;
  readonly at: number;
  readonly result: FireResult;
  readonly runId: string | null;
  /** The first of several times that passed unheeded, of which this is the last. */
  readonly missedSince: number | null;
}

export interface FireFilter {
  readonly kind?: RunKind | undefined;
  readonly result?: FireResult | undefined;
}

export interface ScheduleRepository {
  /** Null where it is off. */
  next(name: ScheduleName): Promise<PlannedFire | null>;
  /** In the place of what was planned before. */
  plan(planned: PlannedFire): Promise<void>;
  clear(name: ScheduleName): Promise<void>;
  hasFired(name: ScheduleName, scheduledFor: number): Promise<boolean>;
  /** Throws where this time was recorded before: whatever was done with it is undone with the change. */
  record(fire: FireRecord): Promise<void>;
  fires(repoId: string, filter: FireFilter, page: Page): Promise<readonly FireRecord[]>;
}
