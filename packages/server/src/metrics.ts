/** Prometheus metrics of one service. Labels are route templates and status codes: never a caller, a path or a query. */
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  /** Register further metrics of the service here. */
  readonly registry: Registry;
  observe(request: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** `open` counts the open connections whenever metrics are read. */
  watchConnections(open: () => number): void;
  connectionRefused(limit: "total" | "address"): void;
}

export function createMetrics(service: string, { ofProcess }: { readonly ofProcess: boolean }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // Gauges of the process belong to one service only: when several run in one process the first one reports them.
  if (ofProcess) collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "http_requests_total",
    help: "Requests answered.",
    labelNames: ["route", "method", "status"] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "From the first byte of the request to the last of the answer.",
    labelNames: ["route"] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const refusedConnections = new Counter({
    name: "http_connections_refused_total",
    help: "Connections closed at once because too many were open, in total or from one address.",
    labelNames: ["limit"] as const,
    registers: [registry],
  });
  return {
    registry,
    observe({ route, method, status, seconds }) {
      requests.inc({ route, method, status });
      durations.observe({ route }, seconds);
    },
    watchConnections(open) {
      const gauge: Gauge = new Gauge({
        name: "http_connections_open",
        help: "Open connections.",
        registers: [],
        collect: () => gauge.set(open()),
      });
      registry.registerMetric(gauge);
    },
    connectionRefused: (limit) => refusedConnections.inc({ limit }),
  };
}

/** One text for the metrics of several threads, each as `registry.getMetricsAsJSON()` gave them. */
export function aggregateMetrics(parts: readonly unknown[]): Promise<string> {
  return AggregatorRegistry.aggregate([...parts] as Parameters<typeof AggregatorRegistry.aggregate>[0]).metrics();
}
