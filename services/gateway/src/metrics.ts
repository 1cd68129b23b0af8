/**
 * Prometheus metrics of paid decisions and upstream services. Labels come from closed lists and contain no wallet, text
 * or address.
 */
import type { SessionState } from "@triptych/billing-client";
import { Counter, Gauge, type Registry } from "prom-client";

export interface GatewayMetrics {
  readonly sold: (op: string, outcome: string) => void;
  readonly routerHealthChanged: (isHealthy: boolean) => void;
  readonly showIn: (registry: Registry) => void;
}

export interface Watched {
  readonly inFlight: () => number;
  readonly session: () => SessionState;
}

export function createGatewayMetrics({ inFlight, session }: Watched): GatewayMetrics {
  const sales = new Counter({
    name: "gateway_sales_total",
    help: "Decisions submitted to the rail, by operation and outcome: charged, replayed, or the problem code.",
    labelNames: ["op", "outcome"] as const,
    registers: [],
  });
  const healthChanges = new Counter({
    name: "gateway_router_turns_total",
    help: "Router health changes: backend removed (out) or added again (in).",
    labelNames: ["to"] as const,
    registers: [],
  });
  const calls = new Gauge({
    name: "gateway_calls_in_flight",
    help: "Requests in flight.",
    registers: [],
    collect() {
      this.set(inFlight());
    },
  });
  const charges = new Gauge({
    name: "gateway_charges",
    help: "Charges of this process: waiting for the rail, held until the response is sent, or unconfirmed by the rail.",
    labelNames: ["state"] as const,
    registers: [],
    collect() {
      const { waiting, held, unconfirmed } = session();
      for (const [state, count] of Object.entries({ waiting, held, unconfirmed })) this.set({ state }, count);
    },
  });
  const boots = new Counter({
    name: "gateway_boots_fenced_total",
    help: "Boots fenced by the rail: replaced, or with an expired lease.",
    registers: [],
    collect() {
      this.reset();
      this.inc(session().fenced);
    },
  });
  return {
    sold: (op, outcome) => sales.inc({ op, outcome }),
    routerHealthChanged: (isHealthy) => healthChanges.inc({ to: isHealthy ? "in" : "out" }),
    showIn(registry) {
      for (const metric of [sales, healthChanges, calls, charges, boots]) registry.registerMetric<string>(metric);
    },
  };
}
