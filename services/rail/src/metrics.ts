/** Prometheus metrics of the ledger. Labels never contain a wallet, key or caller. */
import type { VoidReason } from "@triptych/contracts";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ChargeOutcome } from "./domain/charge-batch.ts";
import type { Integrity } from "./domain/integrity.ts";
import type { LedgerFigures, SweepResult } from "./domain/ledger.ts";

export interface RailMetrics {
  charged(outcome: ChargeOutcome): void;
  voided(reason: VoidReason, count: number): void;
  committed(commit: { readonly charges: number; readonly ms: number }): void;
  swept(swept: SweepResult): void;
  reconciled(outcome: { readonly changed: number; readonly unreachable: number }): void;
  watched(figures: LedgerFigures): void;
  showIntegrity(integrity: Pick<Integrity, "state">): void;
  expirySuspended(isSuspended: boolean): void;
  webhookReceived(lagMs: number): void;
  showIn(registry: Registry): void;
}

export function createRailMetrics(): RailMetrics {
  const counters = createCounters();
  const { charges, voids, payments, lastSweep, sizes, durations, webhookLag } = counters;
  const measured = createGauges();
  const { unacknowledged, oldest, gateways, lapsed, overdue, suspended, sum } = measured;
  let integrity: Pick<Integrity, "state"> | null = null;
  const damaged = new Gauge({
    name: "rail_ledger_damaged",
    help: "1 if the startup check found the ledger damaged; it is read-only.",
    registers: [],
    collect() {
      this.set(integrity?.state() === "damaged" ? 1 : 0);
    },
  });
  const voided = (reason: VoidReason, count: number) => voids.inc({ reason }, count);
  return {
    watched(figures) {
      unacknowledged.set(figures.unacknowledged);
      oldest.set(figures.oldestUnacknowledgedMs / 1000);
      gateways.set(figures.liveGateways);
      lapsed.set(figures.lapsedLeaseMs / 1000);
      overdue.set(figures.overdueCheckMs / 1000);
      sum.set(figures.sumMicro);
    },
    showIn(registry) {
      for (const metric of [...Object.values(counters), ...Object.values(measured), damaged])
        registry.registerMetric<string>(metric);
    },
    showIntegrity: (value) => void (integrity = value),
    expirySuspended: (isSuspended) => suspended.set(isSuspended ? 1 : 0),
    // Event times are whole seconds and clocks differ, so negative delays count as 0.
    webhookReceived: (lagMs) => webhookLag.observe(Math.max(0, lagMs) / 1000),
    charged: (outcome) => charges.inc({ result: "code" in outcome ? outcome.code : String(outcome.status) }),
    committed({ charges, ms }) {
      sizes.observe(charges);
      durations.observe(ms / 1000);
    },
    voided,
    swept({ voidedByLease, voidedUnacknowledged }) {
      voided("lease", voidedByLease);
      voided("unacknowledged", voidedUnacknowledged);
      lastSweep.setToCurrentTime();
    },
    reconciled({ changed, unreachable }) {
      payments.inc({ outcome: "changed" }, changed);
      payments.inc({ outcome: "unreachable" }, unreachable);
    },
  };
}

/** Counters, incremented when something happens. */
function createCounters() {
  const registers: Registry[] = [];
  const charges = new Counter({
    name: "rail_charges_total",
    help: "Charges requested by gateways, by result: 201 charged, 200 replayed, or the problem code.",
    labelNames: ["result"] as const,
    registers,
  });
  const sizes = new Histogram({
    name: "rail_commit_charges",
    help: "Charges per commit.",
    buckets: [0, 1, 2, 4, 8, 16, 32, 64],
    registers,
  });
  const durations = new Histogram({
    name: "rail_commit_duration_seconds",
    help: "Duration of a commit of charges until it is on disk.",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const webhookLag = new Histogram({
    name: "rail_webhook_lag_seconds",
    help: "Delay between an event at the payment provider and its processing here.",
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400],
    registers,
  });
  const voids = new Counter({
    name: "rail_voids_total",
    help: "Void requests, by reason: lease and unacknowledged (sweep), fenced (newer gateway process), or the gateway's reason. May precede the charge.",
    labelNames: ["reason"] as const,
    registers,
  });
  const payments = new Counter({
    name: "rail_reconciled_topups_total",
    help: "Reconciled top-ups, by outcome: changed (lost event) or unreachable.",
    labelNames: ["outcome"] as const,
    registers,
  });
  const lastSweep = new Gauge({
    name: "rail_last_sweep_timestamp_seconds",
    help: "Time of the last sweep of leases and overdue charges.",
    registers,
  });
  return { charges, voids, payments, lastSweep, sizes, durations, webhookLag };
}

/** Gauges of the state of the ledger, read at intervals. */
function createGauges() {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [] });
  const unacknowledged = gauge("rail_unacknowledged_charges", "Charges not yet acknowledged by a gateway.");
  const oldest = gauge("rail_oldest_unacknowledged_seconds", "Age of the oldest unacknowledged charge; voided at 60.");
  const gateways = gauge("rail_live_gateways", "Gateway processes with a valid lease.");
  const lapsed = gauge(
    "rail_lapsed_lease_seconds",
    "Age of the oldest expired lease that was not swept; 0 while the sweep keeps up.",
  );
  const overdue = gauge("rail_overdue_payment_check_seconds", "Delay of the most overdue payment check.");
  const suspended = gauge("rail_expiry_suspended", "1 while the system clock is untrusted and expiry is suspended.");
  const sum = gauge("rail_ledger_sum_micro", "Sum of all accounts in micro-euros; nonzero means a violated invariant.");
  return { unacknowledged, oldest, gateways, lapsed, overdue, suspended, sum };
}
