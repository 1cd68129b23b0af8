/**
 * The numbered events of one run, until the panel acknowledges them: a window in memory, and beyond it a spool file. When that is full,
 * agent output is dropped first, and one `gap` counts the losses.
 */
import type { BusKind, BusRole } from "@triptych/contracts";
import { openSpool } from "./event-spool.ts";

export interface WireItem {
  readonly at: string;
  readonly from: {
    readonly role: BusRole;
    readonly agent: string | null;
    readonly cli: string | null;
    readonly model: string | null;
  };
  readonly kind: BusKind;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly round: number | null;
}

export interface QueuedEvent {
  readonly wseq: number;
  readonly text: string;
  readonly bytes: number;
}

export interface EventQueue {
  readonly lastNumber: number;
  push(item: WireItem): void;
  /** Events of the window after this number. */
  after(wseq: number): readonly QueuedEvent[];
  /** Whether no event has a greater number. */
  endsAt(wseq: number): boolean;
  /** Removes events up to this number. */
  release(upto: number): void;
  /** Moves the window into the file for a restart. Call once, after the last event. */
  settle(): void;
  close(): void;
}

export interface QueueBounds {
  readonly items: number;
  readonly bytes: number;
  readonly spoolBytes: number;
}

export interface EventQueueOptions {
  /** The spool file; it may contain lines of an earlier process. */
  readonly path: string;
  readonly now: () => Date;
  readonly bounds: QueueBounds;
}

/** Never dropped: there are few, and they decide the run's result. */
const RETAINED_KINDS: ReadonlySet<BusKind> = new Set(["state", "usage", "verify", "verdict"]);
/** Dropped first: the most numerous and least important. */
const PRINTED: ReadonlySet<BusKind> = new Set(["log", "tool_result"]);
/** Bytes per read of the file. */
const PIECE_BYTES = 64 * 1024;

export function createEventQueue({ path, now, bounds }: EventQueueOptions): EventQueue {
  const spool = openSpool(path);
  let window: QueuedEvent[] = [];
  let windowBytes = 0;
  let lastNumber = 0;
  /** Counts losses by kind, from the first loss until the file is empty. */
  let losses: Map<BusKind, number> | null = null;
  // Lines of an earlier process: fills the window, which sets the last number.
  refill();
  return {
    get lastNumber() {
      return lastNumber;
    },
    push(item) {
      if (losses !== null && !RETAINED_KINDS.has(item.kind)) return countLoss(losses, item.kind);
      append(item);
      // Evicts only once until the file is empty, because later events contain nothing to drop.
      if (losses === null && spool.bytes > bounds.spoolBytes) losses = evict();
    },
    after: (wseq) => window.slice(0, bounds.items).filter((event) => event.wseq > wseq),
    endsAt: (wseq) => spool.isEmpty && losses === null && (window.at(-1)?.wseq ?? 0) <= wseq,
    release(upto) {
      const firstPending = window.findIndex(({ wseq }) => wseq > upto);
      const released = window.splice(0, firstPending === -1 ? window.length : firstPending);
      for (const { bytes } of released) windowBytes -= bytes;
      refill();
    },
    settle() {
      endGap();
      const waiting: string[] = [];
      while (!spool.isEmpty) waiting.push(...spool.take(spool.bytes));
      // Sorted by number. The window stays: an event read twice is sent twice, and the panel deduplicates by number.
      for (const line of [...window.map(({ text }) => text), ...waiting]) spool.append(line);
      spool.hold();
      window = [];
      windowBytes = 0;
      refill();
    },
    close: () => spool.close(),
  };

  function append(item: WireItem): void {
    lastNumber++;
    const event = toQueued(lastNumber, JSON.stringify({ wseq: lastNumber, ...item }));
    const fits = window.length < bounds.items && windowBytes + event.bytes <= bounds.bytes;
    if (spool.isEmpty && (fits || window.length === 0)) add(event);
    else spool.append(event.text);
  }

  function add(event: QueuedEvent): void {
    window.push(event);
    windowBytes += event.bytes;
  }

  /** Moves events from the file into the window. */
  function refill(): void {
    while (!spool.isEmpty && window.length < bounds.items / 2 && windowBytes < bounds.bytes / 2) {
      for (const text of spool.take(PIECE_BYTES)) {
        const wseq = numberOf(text);
        if (wseq === null) continue;
        lastNumber = Math.max(lastNumber, wseq);
        add(toQueued(wseq, text));
      }
    }
    if (spool.isEmpty) endGap();
  }

  function evict(): Map<BusKind, number> {
    const counts = new Map<BusKind, number>();
    spool.filter(dropping(counts, (kind) => !PRINTED.has(kind)));
    if (spool.bytes > bounds.spoolBytes) spool.filter(dropping(counts, (kind) => RETAINED_KINDS.has(kind)));
    return counts;
  }

  function endGap(): void {
    const counts = losses;
    losses = null;
    if (counts !== null && counts.size > 0) append(gapOf(counts, now()));
  }
}

function dropping(counts: Map<BusKind, number>, isRetained: (kind: BusKind) => boolean): (line: string) => boolean {
  return (line) => {
    const { kind }: { readonly kind: BusKind } = JSON.parse(line);
    if (!isRetained(kind)) countLoss(counts, kind);
    return isRetained(kind);
  };
}

function countLoss(counts: Map<BusKind, number>, kind: BusKind): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

function gapOf(counts: ReadonlyMap<BusKind, number>, at: Date): WireItem {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    at: at.toISOString(),
    from: { role: "worker", agent: null, cli: null, model: null },
    kind: "gap",
    text: `${total} messages were dropped: the queue for the panel was full.`,
    data: { lost: Object.fromEntries(counts) },
    round: null,
  };
}

function toQueued(wseq: number, text: string): QueuedEvent {
  return { wseq, text, bytes: Buffer.byteLength(text) };
}

/** Null if a power failure or a full disk has corrupted the line. */
function numberOf(line: string): number | null {
  try {
    const { wseq }: { readonly wseq?: unknown } = JSON.parse(line);
    return typeof wseq === "number" ? wseq : null;
  } catch {
    return null;
  }
}
