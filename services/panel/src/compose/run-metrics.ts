/** Prometheus metrics of runs. Labels have closed value sets: no account, repo or run. */
import { RUN_STATES } from "@triptych/contracts";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { PanelStore } from "../domain/repositories.ts";
import { isTerminal, phaseOf } from "../domain/run-states.ts";

export interface RunMetrics {
  readonly showIn: (registry: Registry) => void;
}

const UNENDED = RUN_STATES.filter((state) => !isTerminal(state));

export function createRunMetrics({ system, onMove }: Pick<PanelStore, "system" | "onMove">): RunMetrics {
  const runs = new Gauge({
    name: "panel_runs",
    help: "Active runs of all accounts and nodes, by state.",
    labelNames: ["state"] as const,
    registers: [],
    async collect() {
      const counts = new Map((await system.countRuns()).map(({ state, count }) => [state, count]));
      for (const state of UNENDED) this.set({ state }, counts.get(state) ?? 0);
    },
  });
  const moves = new Counter({
    name: "panel_run_transitions_total",
    help: "State transitions of runs committed by this process; from is none for a new run.",
    labelNames: ["from", "to"] as const,
    registers: [],
  });
  const seconds = new Histogram({
    name: "panel_run_seconds",
    help: "Time from creation of a run to success or failure, including queue time.",
    labelNames: ["phase"] as const,
    buckets: [1, 5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 21_600, 86_400],
    registers: [],
  });
  onMove(({ from, run, at }) => {
    moves.inc({ from: from ?? "none", to: run.state });
    const [before, phase] = [from === null ? "active" : phaseOf(from, run), phaseOf(run.state, run)];
    // A run that rested in a successful phase was counted then; its later pull request does not count again.
    if (phase === before || (phase !== "success" && phase !== "failure")) return;
    seconds.observe({ phase }, (at - run.queuedAt) / 1_000);
  });
  return {
    showIn(registry) {
      for (const metric of [runs, moves, seconds]) registry.registerMetric<string>(metric);
    },
  };
}
