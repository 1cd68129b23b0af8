/** Prometheus metrics of schedules, without account or repo labels. */
import type { FireResult } from "@triptych/contracts";
import { Counter, type Registry } from "prom-client";

export interface ScheduleMeter {
  readonly fired: (result: FireResult) => void;
}

export interface ScheduleMetrics extends ScheduleMeter {
  /** Adds these metrics to a server's registry. */
  readonly showIn: (registry: Registry) => void;
}

export function createScheduleMetrics(): ScheduleMetrics {
  const fires = new Counter({
    name: "panel_schedule_fires_total",
    help: "Scheduled times that were acted on, by what became of them: started, or why no run was made.",
    labelNames: ["result"] as const,
    registers: [],
  });
  return { fired: (result) => fires.inc({ result }), showIn: (registry) => registry.registerMetric(fires) };
}
