import { Counter, Gauge, type Registry } from "prom-client";

export interface BusMetrics {
  readonly counted: (stored: { readonly events: number; readonly redactions: number }) => void;
  readonly showIn: (registry: Registry) => void;
}

export function createBusMetrics(readers: () => number): BusMetrics {
  const events = new Counter({
    name: "panel_bus_events_total",
    help: "Worker events stored, including duplicates of stored events.",
    registers: [],
  });
  const redactions = new Counter({
    name: "panel_redactions_total",
    help: "Secrets redacted from worker messages.",
    registers: [],
  });
  const streams = new Gauge({
    name: "panel_sse_readers",
    help: "Open event streams.",
    registers: [],
    collect() {
      this.set(readers());
    },
  });
  return {
    counted(stored) {
      events.inc(stored.events);
      redactions.inc(stored.redactions);
    },
    showIn(registry) {
      for (const metric of [events, redactions, streams]) registry.registerMetric<string>(metric);
    },
  };
}
