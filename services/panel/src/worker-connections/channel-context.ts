import type { IsolationLevel } from "@triptych/contracts";
import type { CheckTokens, RunTokens } from "../domain/worker-tokens.ts";
import type { Delivery } from "../domain/delivery.ts";
import type { PanelStore } from "../domain/repositories.ts";
import type { Ingest } from "../bus/ingest.ts";
import type { RunSecrets } from "../bus/run-secrets.ts";
import type { Prices } from "../prices.ts";
import type { Timers } from "../timers.ts";
import type { ChannelMetrics } from "./channel-metrics.ts";
import type { ConnectionRegistry, Connection } from "./connection-registry.ts";

export interface ChannelParts {
  /** Id of this process; its effects are leased under the same id. */
  readonly node: string;
  readonly store: PanelStore;
  readonly timers: Timers;
  readonly delivery: Delivery;
  readonly runTokens: RunTokens;
  readonly checkTokens: CheckTokens;
  readonly newId: (prefix: string) => string;
  /** Decrypts `LicenseRecord.sealed`. */
  readonly openKey: (sealed: string, owner: string) => string;
  readonly openVariable: (sealed: string, about: string) => string;
  readonly hash: (secret: string) => string;
  readonly url: () => string;
  readonly leaseMs: number;
  readonly isolationMin: IsolationLevel;
  readonly author: { readonly name: string; readonly email: string } | null;
  /** Model prices and the exchange rate, sent to workers for their cost limits. */
  readonly money: { readonly prices: Prices; readonly usdEur: number };
  readonly heartbeatMs: number;
  readonly broadcastWaitMs: number;
  /** Trace headers of a run; null without tracing. */
  readonly traceOf: (runId: string) => { readonly traceparent: string } | null;
  readonly onError: (error: unknown, what: string) => void;
  readonly ingest: Ingest;
  /** Redacts secrets from worker input before it is stored or forwarded. */
  readonly secrets: RunSecrets;
}

export interface ChannelContext extends ChannelParts {
  readonly connections: ConnectionRegistry;
  readonly metrics: ChannelMetrics;
  /** Signals that a run of this account may have become leasable. */
  readonly wake: (owner: string) => void;
}

/** Tells a worker that it has lost a run. Sent once: the epoch fences off whatever it still reports. */
export function requestCancel(
  { timers }: Pick<ChannelContext, "timers">,
  connection: Connection,
  lease: RunLease,
): void {
  const run = connection.runs.get(lease.runId);
  if (run?.epoch === lease.epoch && run.isCancelSent) return;
  const frame = { t: "cancel", run_id: lease.runId, epoch: lease.epoch, grace_s: CANCEL_GRACE_S } as const;
  const cid = connection.link.command(frame, timers.now());
  if (run?.epoch === lease.epoch) run.isCancelSent = cid !== null;
}

const CANCEL_GRACE_S = 10;

export interface RunLease {
  readonly runId: string;
  readonly epoch: number;
}
