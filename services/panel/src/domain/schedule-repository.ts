import type { FireResult, RunKind } from "@triptych/contracts";
import type { Page } from "./records.ts";

export interface ScheduleName {
  readonly repoId: string;
  readonly kind: RunKind;
}

export type DueSchedule = ScheduleName & { readonly owner: string };

export interface PlannedFire extends ScheduleName {
  readonly scheduledFor: number;
  readonly dueAt: number;
}

export interface FireRecord extends ScheduleName {
  readonly id: string;
  readonly scheduledFor: number;
  readonly at: number;
  readonly result: FireResult;
  readonly runId: string | null;
  /** The first of several missed times, of which this is the last. */
  readonly missedSince: number | null;
}

export interface FireFilter {
  readonly kind?: RunKind | undefined;
  readonly result?: FireResult | undefined;
}

export interface ScheduleRepository {
  next(name: ScheduleName): Promise<PlannedFire | null>;
  plan(planned: PlannedFire): Promise<void>;
  clear(name: ScheduleName): Promise<void>;
  hasFired(name: ScheduleName, scheduledFor: number): Promise<boolean>;
  /** Throws if this time is already recorded, so that the transaction rolls back. */
  record(fire: FireRecord): Promise<void>;
  fires(repoId: string, filter: FireFilter, page: Page): Promise<readonly FireRecord[]>;
}
