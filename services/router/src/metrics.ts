/** Figures of decisions for Prometheus. Labels are of closed lists: no route, no text, no name of an owner's head. */
import { Counter, type Registry } from "prom-client";
import type { ObservedDecision } from "./domain/router.ts";

export interface RouterMetrics {
  observe(decision: ObservedDecision): void;
  /** Shows them among the metrics of a server. */
  showIn(registry: Registry): void;
}

export function createRouterMetrics(): RouterMetrics {
  const decisions = new Counter({
    name: "router_decisions_total",
    help: "Decisions answered, by endpoint, action, reason and expert: a shipped one by name, `custom`, or `none`.",
    labelNames: ["endpoint", "action", "reason", "expert"] as const,
    registers: [],
  });
  return {
    observe: ({ endpoint, action, reason, expert }) => decisions.inc({ endpoint, action, reason, expert }),
    showIn: (registry) => registry.registerMetric<string>(decisions),
  };
}
