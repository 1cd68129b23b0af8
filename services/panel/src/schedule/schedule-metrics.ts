import type { FireResult } from "@triptych/contracts";
import { Counter, type Registry } from "prom-client";

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
