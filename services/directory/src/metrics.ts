/** Prometheus metrics of the directory. Labels come from closed lists: no key, query, item or version. */
import type { ItemFormat, ListFormat, ProblemCode } from "@triptych/contracts";
import type { Problem } from "@triptych/server";
import type { MeterLag } from "@triptych/usage-metering";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Version } from "./domain/catalogue.ts";
import type { PlanId } from "./domain/plans.ts";

export type Engine = "memory" | "postgres";
/** `streamed`: every match, with `limit=all`. */
export type SearchResult = "cached" | "computed" | "streamed";

export interface DirectoryMetrics {
  itemsServed(sent: { readonly plan: PlanId; readonly format: ItemFormat | ListFormat; readonly items: number }): void;
  /** Counts the problems by which a key, plan, limit or the meter refuses a request; ignores all others. */
  refused(problem: Problem): void;
  searched(result: SearchResult): void;
  timeSearch<T>(search: () => Promise<T>): Promise<T>;
  showIn(registry: Registry): void;
}

export interface MetricsSource {
  readonly engine: Engine;
  readonly version: () => Version | null;
  /** Whether a newer published version could not be opened. */
  readonly isStale: () => boolean;
}

const POLICIES: Partial<Readonly<Record<ProblemCode, string>>> = {
  key_required: "key",
  key_invalid: "key",
  key_revoked: "key",
  key_expired: "key",
  ambiguous_key: "key",
  plan_required: "plan",
  rate_limited: "minute",
  quota_exceeded: "items-day",
  overloaded: "meter",
};
/** The feature that a plan lacks, as `planRequired` names it. */
const FEATURES: readonly unknown[] = ["geo", "export", "fields"];

export function createDirectoryMetrics(watched: MetricsSource): DirectoryMetrics {
  const { engine } = watched;
  const registers: Registry[] = [];
  const items = new Counter({
    name: "directory_items_served_total",
    help: "Items sent in complete responses and streams, by plan and format.",
    labelNames: ["plan", "format"] as const,
    registers,
  });
  const refusals = new Counter({
    name: "directory_refusals_total",
    help: "Requests refused, by policy (key, plan, minute, items-day, meter) and reason: problem code, or the feature that a plan lacks.",
    labelNames: ["policy", "reason"] as const,
    registers,
  });
  const searches = new Counter({
    name: "directory_searches_total",
    help: "Lists of items served, by engine and result: cached page, computed page, or stream of all matches.",
    labelNames: ["engine", "result"] as const,
    registers,
  });
  const seconds = new Histogram({
    name: "directory_search_duration_seconds",
    help: "Duration of searching and rendering a page that was not in the page cache.",
    labelNames: ["engine"] as const,
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const gauges = versionGauges(watched);
  return {
    itemsServed({ plan, format, items: sent }) {
      if (sent > 0) items.inc({ plan, format }, sent);
    },
    refused({ code, members }) {
      const policy = POLICIES[code];
      if (policy === undefined) return;
      const { feature } = members;
      refusals.inc({ policy, reason: FEATURES.includes(feature) ? String(feature) : code });
    },
    searched: (result) => searches.inc({ engine, result }),
    async timeSearch(search) {
      const end = seconds.startTimer({ engine });
      try {
        return await search();
      } finally {
        end();
      }
    },
    showIn(registry) {
      for (const metric of [items, refusals, searches, seconds, ...gauges]) registry.registerMetric<string>(metric);
    },
  };
}

/** All HTTP threads serve the same version, so the largest value of the threads is that of the process. */
function versionGauges({ version, isStale }: MetricsSource): readonly Gauge[] {
  const gauge = (name: string, help: string, value: () => number | undefined) =>
    new Gauge({
      name,
      help,
      aggregator: "max",
      registers: [],
      collect() {
        const current = value();
        // Without a version the series is absent, as 0 would mean 1970.
        if (current === undefined) this.remove();
        else this.set(current);
      },
    });
  const published = () => version()?.publishedAt;
  return [
    gauge("directory_version_number", "Number of the served version.", () => version()?.number),
    gauge("directory_version_published_timestamp_seconds", "Publication time of the served version.", () => {
      const at = published();
      return at === undefined ? undefined : at / 1000;
    }),
    gauge(
      "directory_version_stale",
      "1 if a newer published version could not be opened and the former one is served.",
      () => (isStale() ? 1 : 0),
    ),
  ];
}

/** Metrics of the meter, which runs once per process, outside of the HTTP threads. */
export function showMeter(registry: Registry, lag: () => MeterLag): void {
  const rows = new Gauge({
    name: "directory_meter_waiting_rows",
    help: "Usage rows not yet written to the store.",
    registers: [],
    collect() {
      this.set(lag().rows);
    },
  });
  const seconds = new Gauge({
    name: "directory_meter_lag_seconds",
    help: "Age of the oldest usage row not yet written to the store.",
    registers: [],
    collect() {
      this.set(lag().oldestMs / 1000);
    },
  });
  for (const metric of [rows, seconds]) registry.registerMetric(metric);
}

/** The registry of the main thread, when HTTP threads have their own. */
export function meterRegistry(lag: () => MeterLag): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service: "directory" });
  showMeter(registry, lag);
  return registry;
}
