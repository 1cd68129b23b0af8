/** Prometheus metrics of the channel. Labels have closed value sets: no account, repo, run or worker. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { WorkerHealth } from "../domain/workers.ts";

/** `gone`: the worker reconnected without the run. */
export type LeaseLost = "lapsed" | "silent" | "refused" | "deadline" | "gone";

export interface ChannelMetrics {
  assigned(ms: number): void;
  leaseLost(cause: LeaseLost): void;
  outboxFull(): void;
  notified(workers: number): void;
  showIn(registry: Registry): void;
}

export interface MetricsSource {
  readonly health: () => Readonly<Record<WorkerHealth, number>>;
  readonly oldestQueuedMs: () => Promise<number>;
}

export function createChannelMetrics({ health, oldestQueuedMs }: MetricsSource): ChannelMetrics {
  const assign = new Histogram({
    name: "panel_assign_seconds",
    help: "Time from creation of a run to its assignment to a worker, including queue time.",
    buckets: [0.002, 0.004, 0.008, 0.016, 0.025, 0.05, 0.1, 0.5, 1, 10, 60, 600],
    registers: [],
  });
  const lost = new Counter({
    name: "panel_leases_lost_total",
    help: "Leases lost before their run ended, by cause.",
    labelNames: ["cause"] as const,
    registers: [],
  });
  const full = new Counter({
    name: "panel_outbox_full_total",
    help: "Commands rejected because a worker's outbox was full.",
    registers: [],
  });
  const notifications = new Counter({
    name: "panel_broadcast_notified_total",
    help: "Workers notified of a new license key.",
    registers: [],
  });
  const workers = new Gauge({
    name: "panel_workers",
    help: "Workers connected to this process, by health.",
    labelNames: ["health"] as const,
    registers: [],
    collect() {
      for (const [name, count] of Object.entries(health())) this.set({ health: name }, count);
    },
  });
  const oldest = new Gauge({
    name: "panel_queue_oldest_seconds",
    help: "Queue time of the oldest queued run.",
    registers: [],
    async collect() {
      this.set((await oldestQueuedMs()) / 1000);
    },
  });
  return {
    assigned: (ms) => assign.observe(ms / 1000),
    leaseLost: (cause) => lost.inc({ cause }),
    outboxFull: () => full.inc(),
    notified: (count) => notifications.inc(count),
    showIn(registry) {
      registry.registerMetric(assign);
      registry.registerMetric(lost);
      registry.registerMetric(full);
      registry.registerMetric(notifications);
      registry.registerMetric(workers);
      registry.registerMetric(oldest);
    },
  };
}
