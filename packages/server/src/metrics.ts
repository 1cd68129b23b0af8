/** Prometheus metrics of a service. Labels are route templates and status codes, never callers, paths or queries. */
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  readonly registry: Registry;
  observe(request: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** `open` returns the number of open connections at scrape time. */
  watchConnections(open: () => number): void;
  connectionRefused(limit: "total" | "address"): void;
}

export function createMetrics(service: string, { ofProcess }: { readonly ofProcess: boolean }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // If several services share a process, only the first exports the process metrics.
  if (ofProcess) collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "http_requests_total",
    help: "Number of HTTP responses.",
    labelNames: ["route", "method", "status"] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Request duration in seconds, from the first byte of the request to the last byte of the response.",
    labelNames: ["route"] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const refusedConnections = new Counter({
    name: "http_connections_refused_total",
    help: "Connections rejected by the total limit or the limit per address.",
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

/** Merges the metrics of several threads, each from `registry.getMetricsAsJSON()`. */
export function aggregateMetrics(parts: readonly unknown[]): Promise<string> {
  return AggregatorRegistry.aggregate([...parts] as Parameters<typeof AggregatorRegistry.aggregate>[0]).metrics();
}
