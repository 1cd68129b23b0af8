/**
 * Where events of workers come in: cleaned, then kept together with those of other runs that came meanwhile, in one commit. Frames of
 * one run are kept in the order in which they were handed in, whatever their secrets had to wait for.
 */
import { linesOf } from "../domain/bus-lines.ts";
import type { BusFrame, Ingested } from "../domain/bus-repositories.ts";
import type { Panel } from "../domain/panel.ts";
import type { BusItem } from "../domain/records.ts";
import { cleanItems } from "./redact-items.ts";
import type { RunSecrets } from "./run-secrets.ts";

/**
 * Resolves after the commit; a frame that is fenced has written nothing. Rejects where the store cannot be written: the worker sends
 * again, and what was kept all the same is not kept twice.
 */
export type Ingest = (owner: string, runId: string, epoch: number, items: readonly BusItem[]) => Promise<Ingested>;

export interface IngestParts extends Pick<Panel, "store" | "now"> {
  readonly secrets: RunSecrets;
  readonly counted: (stored: { readonly events: number; readonly redactions: number }) => void;
}

/** One commit: beyond it the first frame would wait longer without the last one coming sooner. */
const FRAMES_AT_ONCE = 256;
/** Each holds at most a frame of the channel: more than this is a store that does not follow. */
const WAITING_MOST = 20_000;

interface Waiting {
  readonly frame: Promise<{ readonly frame: BusFrame; readonly redactions: number }>;
  readonly done: PromiseWithResolvers<Ingested>;
}

export function createIngest({ store, now, secrets, counted }: IngestParts): Ingest {
  let queue: Waiting[] = [];
  let pumping: Promise<void> | null = null;

  return (owner, runId, epoch, items) => {
    if (queue.length >= WAITING_MOST) return Promise.reject(new Error("More frames wait than the store can keep."));
    const frame = clean(owner, runId, { epoch, items });
    // It is looked at when its turn comes, which may be after it has failed.
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
    const cleaned = cleanItems(rising(items), redactor);
    return { frame: { owner, runId, epoch, lines: linesOf(cleaned.items) }, redactions: cleaned.secretCount };
  }

  async function pump(): Promise<void> {
    // What is handed in during the same turn belongs into the same commit.
    await Promise.resolve();
    while (queue.length > 0) {
      const batch = queue.slice(0, FRAMES_AT_ONCE);
      queue = queue.slice(batch.length);
      await keep(batch);
    }
    pumping = null;
  }

  async function keep(batch: readonly Waiting[]): Promise<void> {
    const ready: { frame: BusFrame; redactions: number; done: Waiting["done"] }[] = [];
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
        if (outcome === undefined) throw new Error("The store gave no answer for a frame.");
        if (outcome.kind === "stored") counted({ events: frame.lines.wseqs.length, redactions });
        done.resolve(outcome);
      }
    } catch (error) {
      for (const { done } of ready) done.reject(error);
    }
  }
}

/** Within a frame, too, what is not above the one before was said before. */
function rising(items: readonly BusItem[]): readonly BusItem[] {
  let last = 0;
  return items.filter(({ wseq }) => {
    if (wseq === null || wseq <= last) return false;
    last = wseq;
    return true;
  });
}
