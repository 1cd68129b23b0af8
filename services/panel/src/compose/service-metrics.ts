/** Prometheus metrics of request and commit durations. Labels are route templates and codes. */
import type { FastifyInstance } from "fastify";
import { Histogram, type Registry } from "prom-client";
import type { PanelStore } from "../domain/repositories.ts";

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export function timeRequests(fastify: FastifyInstance, registry: Registry): void {
  const seconds = new Histogram({
    name: "panel_http_request_seconds",
    help: "Time from the first byte of a request to the last byte of its response.",
    labelNames: ["route", "status"] as const,
    buckets: BUCKETS,
    registers: [registry],
  });
  fastify.addHook("onResponse", ({ routeOptions }, { statusCode, elapsedTime }, done) => {
    seconds.observe({ route: routeOptions.url ?? "unknown", status: statusCode }, elapsedTime / 1000);
    done();
  });
}

export interface TimedStore {
  readonly store: PanelStore;
  readonly showIn: (registry: Registry) => void;
}

/** Times all writes: account transactions and bus ingest, including failures. */
export function timeCommits(store: PanelStore): TimedStore {
  const seconds = new Histogram({
    name: "panel_store_commit_seconds",
    help: "Time from a write request to its commit, including queue time.",
    buckets: BUCKETS,
    registers: [],
  });
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const end = seconds.startTimer();
    try {
      return await work();
    } finally {
      end();
    }
  };
  return {
    store: {
      ...store,
      change: (owner, work) => timed(() => store.change(owner, work)),
      buses: { ...store.buses, ingest: (frames, at) => timed(() => store.buses.ingest(frames, at)) },
    },
    showIn: (registry) => registry.registerMetric(seconds),
  };
}
