/** Prometheus metrics of decisions. Labels come from closed lists and contain no route, text or head name. */
import { Counter, type Registry } from "prom-client";
import type { ObservedDecision } from "./domain/router.ts";

export interface RouterMetrics {
  observe(decision: ObservedDecision): void;
  showIn(registry: Registry): void;
}

export function createRouterMetrics(): RouterMetrics {
  const decisions = new Counter({
    name: "router_decisions_total",
    help: "Number of decisions by endpoint, action, reason and expert (name of a bundled expert, `custom` or `none`).",
    labelNames: ["endpoint", "action", "reason", "expert"] as const,
    registers: [],
  });
  return {
    observe: ({ endpoint, action, reason, expert }) => decisions.inc({ endpoint, action, reason, expert }),
    showIn: (registry) => registry.registerMetric<string>(decisions),
  };
}
