/** What all parts of the channel share: the store, the clock, who is connected, and the seams to the other rooms. */
import type { IsolationLevel } from "@triptych/contracts";
import type { CheckTokens } from "../domain/check-tokens.ts";
import type { Delivery } from "../domain/delivery.ts";
import type { PanelStore } from "../domain/repositories.ts";
import type { Ingest } from "../bus/ingest.ts";
import type { RunSecrets } from "../bus/run-secrets.ts";
import type { RunTokens } from "../domain/run-tokens.ts";
import type { Prices } from "../prices.ts";
import type { Timers } from "../timers.ts";
import type { ChannelMetrics } from "./channel-metrics.ts";
import type { ConnectionRegistry, Connection } from "./connection-registry.ts";

export interface ChannelParts {
  /** This process, for as long as it runs; its effects are leased by the same name. */
  readonly node: string;
  readonly store: PanelStore;
  readonly timers: Timers;
  readonly delivery: Delivery;
  readonly runTokens: RunTokens;
  readonly checkTokens: CheckTokens;
  readonly newId: (prefix: string) => string;
  /** Opens the licence key that `LicenseRecord.sealed` holds. */
  readonly openKey: (sealed: string, owner: string) => string;
  /** Opens the sealed value of a variable of a repo. */
  readonly openVariable: (sealed: string, about: string) => string;
  readonly hash: (secret: string) => string;
  /** The address under which workers reach this panel. */
  readonly url: () => string;
  readonly leaseMs: number;
  /** The operator's least isolation of a run. */
  readonly isolationMin: IsolationLevel;
  /** Of commits; null: as the worker signs them by default. */
  readonly author: { readonly name: string; readonly email: string } | null;
  /** What models cost, and what a dollar does: workers count with them. */
  readonly money: { readonly prices: Prices; readonly usdEur: number };
  readonly heartbeatMs: number;
  /** How long a rotation waits for the counts of other nodes. */
  readonly broadcastWaitMs: number;
  readonly onError: (error: unknown, what: string) => void;
  readonly ingest: Ingest;
  /** What must not be kept of a worker's words, wherever they go. */
  readonly secrets: RunSecrets;
}

export interface ChannelContext extends ChannelParts {
  readonly connections: ConnectionRegistry;
  readonly metrics: ChannelMetrics;
  /** Something changed that may let a run of this account be leased. */
  readonly wake: (owner: string) => void;
}

/** A worker is told once that a run is not its own any more; what it does then is its own matter. */
export function requestCancel({ timers }: Pick<ChannelContext, "timers">, live: Connection, lease: RunLease): void {
  const run = live.runs.get(lease.runId);
  if (run?.epoch === lease.epoch && run.isCancelSent) return;
  const frame = { t: "cancel", run_id: lease.runId, epoch: lease.epoch, grace_s: CANCEL_GRACE_S } as const;
  const cid = live.link.command(frame, timers.now());
  if (run?.epoch === lease.epoch) run.isCancelSent = cid !== null;
}

const CANCEL_GRACE_S = 10;

export interface RunLease {
  readonly runId: string;
  readonly epoch: number;
}
