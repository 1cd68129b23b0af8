/** Redacts worker events and stores frames of many runs in one commit. Frames of one run keep their order. */
import { linesOf } from "../domain/bus-lines.ts";
import type { BusFrame, Ingested } from "../domain/bus-repositories.ts";
import type { Panel } from "../domain/panel.ts";
import type { BusItem } from "../domain/records.ts";
import { cleanItems } from "./redact-items.ts";
import type { RunSecrets } from "./run-secrets.ts";

/** Resolves after the commit. Rejects if the store is not writable: the worker resends, and duplicates are dropped. */
export type Ingest = (owner: string, runId: string, epoch: number, items: readonly BusItem[]) => Promise<Ingested>;

export interface IngestParts extends Pick<Panel, "store" | "now"> {
  readonly secrets: RunSecrets;
  readonly counted: (stored: { readonly events: number; readonly redactions: number }) => void;
}

/** A larger batch would delay its first frame without speeding up its last. */
const BATCH_FRAMES_MAX = 256;
/** Each has at most one channel frame. A longer queue means that the store cannot keep up. */
const QUEUED_FRAMES_MAX = 20_000;

interface WaitingFrame {
  readonly frame: Promise<{ readonly frame: BusFrame; readonly redactions: number }>;
  readonly done: PromiseWithResolvers<Ingested>;
}

export function createIngest({ store, now, secrets, counted }: IngestParts): Ingest {
  let queue: WaitingFrame[] = [];
  let pumping: Promise<void> | null = null;

  return (owner, runId, epoch, items) => {
    if (queue.length >= QUEUED_FRAMES_MAX) return Promise.reject(new Error("Bus ingest queue full."));
    const frame = clean(owner, runId, { epoch, items });
    // It may fail before it is awaited, which would be an unhandled rejection.
    frame.catch(() => undefined);
    const done = Promise.withResolvers<Ingested>();
    queue.push({ frame, done });
    pumping ??= pump();
    return done.promise;
  };

  async function clean(
    owner: string,
    runId: string,
    { epoch, items }: { readonly epoch: number; readonly items: readonly BusItem[] },
  ) {
    const redactor = await secrets.redactorOf(owner, runId, epoch);
    const cleaned = cleanItems(dropDuplicates(items), redactor);
    return { frame: { owner, runId, epoch, lines: linesOf(cleaned.items) }, redactions: cleaned.secretCount };
  }

  async function pump(): Promise<void> {
    // Frames added in the same tick share the commit.
    await Promise.resolve();
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH_FRAMES_MAX);
      queue = queue.slice(batch.length);
      await keep(batch);
    }
    pumping = null;
  }

  async function keep(batch: readonly WaitingFrame[]): Promise<void> {
    const ready: { frame: BusFrame; redactions: number; done: WaitingFrame["done"] }[] = [];
    for (const { frame, done } of batch) {
      try {
        ready.push({ ...(await frame), done });
      } catch (error) {
        done.reject(error);
      }
    }
    if (ready.length === 0) return;
    try {
      const frames = ready.map(({ frame }) => frame);
      const ingested = await store.buses.ingest(frames, now());
      for (const [index, { frame, redactions, done }] of ready.entries()) {
        const outcome = ingested[index];
        if (outcome === undefined) throw new Error("The store returned no result for a frame.");
        if (outcome.kind === "stored") counted({ events: frame.lines.wseqs.length, redactions });
        done.resolve(outcome);
      }
    } catch (error) {
      for (const { done } of ready) done.reject(error);
    }
  }
}

/** Drops duplicates within a frame too: numbers must increase. */
function dropDuplicates(items: readonly BusItem[]): readonly BusItem[] {
  let last = 0;
  return items.filter(({ wseq }) => {
    if (wseq === null || wseq <= last) return false;
    last = wseq;
    return true;
  });
}
