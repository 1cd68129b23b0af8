/** Prometheus metrics of sales and upstream services. Labels come from closed lists: no wallet, no text, no address. */
import type { SessionState } from "@triptych/billing-client";
import { Counter, Gauge, type Registry } from "prom-client";

export interface GatewayMetrics {
  readonly sold: (op: string, outcome: string) => void;
  readonly routerTurned: (isWell: boolean) => void;
  /** Registers them with a server's registry. */
  readonly showIn: (registry: Registry) => void;
}

export interface Watched {
  readonly inFlight: () => number;
  readonly session: () => SessionState;
}

export function createGatewayMetrics({ inFlight, session }: Watched): GatewayMetrics {
  const sales = new Counter({
    name: "gateway_sales_total",
    help: "Decisions offered to the rail, by operation and what became of them: charged, replayed, or the code of the refusal.",
    labelNames: ["op", "outcome"] as const,
    registers: [],
  });
  const healthChanges = new Counter({
    name: "gateway_router_turns_total",
    help: "How often a router was left out, or taken in again.",
    labelNames: ["to"] as const,
    registers: [],
  });
  const calls = new Gauge({
    name: "gateway_calls_in_flight",
    help: "Calls that are being answered.",
    registers: [],
    collect() {
      this.set(inFlight());
    },
  });
  const charges = new Gauge({
    name: "gateway_charges",
    help: "Charges of this process: waiting for the rail, held until their answer has left, or with an end that the rail has not confirmed.",
    labelNames: ["state"] as const,
    registers: [],
    collect() {
      const { waiting, held, unconfirmed } = session();
      for (const [state, count] of Object.entries({ waiting, held, unconfirmed })) this.set({ state }, count);
    },
  });
  const boots = new Counter({
    name: "gateway_boots_fenced_total",
    help: "Boots that the rail replaced, or whose lease ran out.",
    registers: [],
    collect() {
      this.reset();
      this.inc(session().fenced);
    },
  });
  return {
    sold: (op, outcome) => sales.inc({ op, outcome }),
    routerTurned: (isWell) => healthChanges.inc({ to: isWell ? "in" : "out" }),
    showIn(registry) {
      for (const metric of [sales, healthChanges, calls, charges, boots]) registry.registerMetric<string>(metric);
    },
  };
}
