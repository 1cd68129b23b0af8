/** Whether this worker can take an order: reasons in the order of their use to the panel. */
import { ISOLATION_LEVELS, type IsolationLevel } from "@triptych/contracts";
import type { Assign, RefuseReason } from "./wire.ts";

export interface WorkerReadiness {
  readonly isStopping: boolean;
  readonly freeSlots: number;
  readonly hasAgent: boolean;
  readonly isolation: IsolationLevel;
  readonly diskFreeMb: number;
}

/** With less, a clone would fill the disk. */
const DISK_MIN_MB = 512;

export function refusalOf({ isolation }: Assign, readiness: WorkerReadiness): RefuseReason | null {
  if (readiness.isStopping) return "stopping";
  if (readiness.freeSlots < 1) return "no_slot";
  if (!readiness.hasAgent) return "unknown_cli";
  if (ISOLATION_LEVELS.indexOf(readiness.isolation) < ISOLATION_LEVELS.indexOf(isolation.level_required))
    return "isolation";
  return readiness.diskFreeMb < DISK_MIN_MB ? "disk" : null;
}
