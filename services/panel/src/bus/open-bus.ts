import { repeat } from "@triptych/server";
import { openChanges, type Changes } from "./changes.ts";
import { createBusMetrics, type BusMetrics } from "./bus-metrics.ts";
import { createIngest, type Ingest } from "./ingest.ts";
import { openLiveRuns, type LiveRuns } from "./live-runs.ts";
import { openRunSecrets, type RunSecrets, type RunSecretsParts } from "./run-secrets.ts";
import { openStreams, type Streams } from "./streams.ts";
import type { PanelStore } from "../domain/repositories.ts";
import { PLAN_TERMS } from "../domain/plans.ts";

export interface Bus extends AsyncDisposable {
  readonly ingest: Ingest;
  readonly secrets: RunSecrets;
  /** Redacts text outside the bus. */
  readonly redact: Redact;
  readonly live: LiveRuns;
  readonly changes: Changes;
  readonly streams: Streams;
  readonly metrics: Pick<BusMetrics, "showIn">;
  tick(): void;
}

/** Redacts secrets of the account from a worker's text and counts them. */
export type Redact = (
  key: { readonly owner: string; readonly runId: string; readonly epoch: number },
  text: string,
) => Promise<{ readonly text: string; readonly found: number }>;

export interface BusParts extends RunSecretsParts {
  readonly onError: (error: unknown) => void;
}

/** Upper bound for the delay of a lost hint. */
const TICK_INTERVAL_MS = 1_000;
const PRUNE_MS = 3_600_000;

export async function openBus(parts: BusParts): Promise<Bus> {
  const { store, now, onError } = parts;
  const live = openLiveRuns(parts, onError);
  const changes = openChanges();
  const streams = openStreams(now);
  const metrics = createBusMetrics(() => streams.count);
  const stopListening = await store.listen((hint) => {
    live.wake(hint);
    changes.wake(hint);
  });
  const tick = () => {
    live.tick();
    streams.tick();
  };
  const secrets = openRunSecrets(parts);
  const timer = setInterval(tick, TICK_INTERVAL_MS).unref();
  const pruning = repeat(() => pruneBuses(store, now()), { everyMs: PRUNE_MS, onError });
  return {
    ingest: createIngest({ store, now, secrets, counted: metrics.counted }),
    secrets,
    async redact({ owner, runId, epoch }, text) {
      const cleaned = (await secrets.redactorOf(owner, runId, epoch)).clean(text);
      metrics.counted({ events: 0, redactions: cleaned.found });
      return cleaned;
    },
    live,
    changes,
    streams,
    metrics,
    tick,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      streams[Symbol.dispose]();
      await pruning.stop();
      await stopListening();
    },
  };
}

const DAY_MS = 86_400_000;
const OWNERS_PER_PAGE = 500;
/** Small batches, so that other writers do not wait long. */
const CHUNKS_PER_DELETE = 500;

/** One pass over all accounts; returns the number of removed chunks. */
export async function pruneBuses({ buses }: Pick<PanelStore, "buses">, now: number): Promise<number> {
  let pruned = 0;
  for (let above: string | undefined = ""; above !== undefined;) {
    const owners = await buses.owners(above, OWNERS_PER_PAGE);
    for (const { owner, plan } of owners) {
      const aged = { before: now - PLAN_TERMS[plan].retentionDays * DAY_MS, most: CHUNKS_PER_DELETE };
      let looked = aged.most;
      while (looked === aged.most) pruned += looked = await buses.prune(owner, aged);
    }
    above = owners.at(OWNERS_PER_PAGE - 1)?.owner;
  }
  return pruned;
}
