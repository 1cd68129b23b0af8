/**
 * The numbered events of one run, until the panel acknowledges them. Beyond a window in memory, events queue in a spool file; when that is
 * full, agent output is dropped first, and one `gap` counts the losses. A new connection resends unacknowledged events. Each frame costs
 * the panel a commit, so close events share one.
 */
import type { BusKind, BusRole } from "@triptych/contracts";
import { openSpool, type Spool } from "./event-spool.ts";

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

export interface EventStream {
  say(item: WireItem): void;
  /** The panel has acknowledged up to this number. */
  acked(upto: number): void;
  /** On a new connection: resends everything after this number. */
  resume(upto: number): void;
  /** Stops sending until `resume`. */
  pause(): void;
  readonly isSent: boolean;
  readonly lastNumber: number;
  /** Moves the window into the file for a restart. Call once, after the last event. */
  settle(): void;
  close(): void;
}

export interface EventStreamOptions {
  /** The spool file; it may contain lines of an earlier process. */
  readonly path: string;
  /** One frame: `items` is the text of a JSON array. */
  readonly send: (items: string) => void;
  readonly onSent: () => void;
  readonly now: () => Date;
  readonly bounds?: StreamBounds;
}

export interface StreamBounds {
  readonly items: number;
  readonly bytes: number;
  readonly spoolBytes: number;
  /** Batching delay after a frame; after a pause an event is sent immediately. */
  readonly gatheredMs: number;
}

/** Readers do not notice a delay of 20 ms. */
const BOUNDS: StreamBounds = { items: 512, bytes: 1024 * 1024, spoolBytes: 64 * 1024 * 1024, gatheredMs: 20 };
/** Sent and not acknowledged: enough to hide the round trip. More would only lengthen the queue of a slow panel. */
const FRAMES_UNDER_WAY = 4;
/** Of a frame of 256 KiB, with room for its own members. */
const FRAME_BYTES = 240 * 1024;
const FRAME_ITEMS = 512;
/** Bytes per read of the file. */
const PIECE_BYTES = 64 * 1024;

/** Never dropped: there are few, and they decide the run's result. */
const RETAINED_KINDS: ReadonlySet<BusKind> = new Set(["state", "usage", "verify", "verdict"]);
/** Dropped first: the most numerous and least important. */
const PRINTED: ReadonlySet<BusKind> = new Set(["log", "tool_result"]);

interface Numbered {
  readonly wseq: number;
  readonly text: string;
  readonly bytes: number;
}

export function createEventStream(options: EventStreamOptions): EventStream {
  const { items: mostItems, bytes: mostBytes, spoolBytes, gatheredMs } = options.bounds ?? BOUNDS;
  const spool: Spool = openSpool(options.path);
  let window: Numbered[] = [];
  let windowBytes = 0;
  let sentUpto = 0;
  /** The last number of each unacknowledged frame. */
  let underWay: number[] = [];
  let gathering: NodeJS.Timeout | null = null;
  let lastNumber = 0;
  let isPaused = true;
  let isFlushRequested = false;
  let isClosed = false;
  let lost: Map<BusKind, number> | null = null;

  // Lines of an earlier process: fills the window, which sets the last number.
  refill();

  return {
    say,
    acked(upto) {
      const firstPending = window.findIndex(({ wseq }) => wseq > upto);
      const gone = window.splice(0, firstPending === -1 ? window.length : firstPending);
      for (const { bytes } of gone) windowBytes -= bytes;
      underWay = underWay.filter((last) => last > upto);
      refill();
      ask();
    },
    resume(upto) {
      isPaused = false;
      sentUpto = upto;
      underWay = [];
      this.acked(upto);
    },
    pause() {
      isPaused = true;
    },
    get isSent() {
      return !isPaused && spool.isEmpty && lost === null && (window.at(-1)?.wseq ?? 0) <= sentUpto;
    },
    get lastNumber() {
      return lastNumber;
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
      ask();
    },
    close() {
      isClosed = true;
      if (gathering !== null) clearTimeout(gathering);
      spool.close();
    },
  };

  function say(item: WireItem): void {
    if (isClosed) return;
    if (lost !== null && !RETAINED_KINDS.has(item.kind)) return giveUp(item.kind);
    append(numbered(item));
    if (lost === null && spool.bytes > spoolBytes) evict();
    ask();
  }

  function numbered(item: WireItem): Numbered {
    lastNumber++;
    return sized(lastNumber, JSON.stringify({ wseq: lastNumber, ...item }));
  }

  function append(item: Numbered): void {
    if (spool.isEmpty && fits(item)) keep(item);
    else spool.append(item.text);
  }

  function fits({ bytes }: Numbered): boolean {
    return window.length === 0 || (window.length < mostItems && windowBytes + bytes <= mostBytes);
  }

  function keep(item: Numbered): void {
    window.push(item);
    windowBytes += item.bytes;
  }

  /** From the file into the window. */
  function refill(): void {
    while (!spool.isEmpty && window.length < mostItems / 2 && windowBytes < mostBytes / 2) {
      for (const text of spool.take(PIECE_BYTES)) {
        const wseq = numberOf(text);
        if (wseq === null) continue;
        lastNumber = Math.max(lastNumber, wseq);
        keep(sized(wseq, text));
      }
    }
    if (spool.isEmpty) endGap();
  }

  /** Once until the file is empty: later events contain nothing to drop. */
  function evict(): void {
    lost = new Map();
    spool.filter((line) => stays(line, (kind) => !PRINTED.has(kind)));
    if (spool.bytes > spoolBytes) spool.filter((line) => stays(line, (kind) => RETAINED_KINDS.has(kind)));
  }

  function stays(line: string, isRetained: (kind: BusKind) => boolean): boolean {
    const { kind }: { readonly kind: BusKind } = JSON.parse(line);
    if (!isRetained(kind)) giveUp(kind);
    return isRetained(kind);
  }

  function giveUp(kind: BusKind): void {
    lost?.set(kind, (lost.get(kind) ?? 0) + 1);
  }

  function endGap(): void {
    if (lost === null) return;
    const counts = Object.fromEntries(lost);
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    lost = null;
    if (total > 0)
      append(
        numbered({
          at: options.now().toISOString(),
          from: { role: "worker", agent: null, cli: null, model: null },
          kind: "gap",
          text: `${total} messages were dropped: the queue for the panel was full.`,
          data: { lost: counts },
          round: null,
        }),
      );
  }

  /** Events of one turn of the event loop share a frame. */
  function ask(): void {
    if (isFlushRequested || isPaused || isClosed) return;
    isFlushRequested = true;
    if (gathering === null) setImmediate(answer);
  }

  function answer(): void {
    isFlushRequested = false;
    // The next acknowledgement triggers a retry; without one, the connection times out and restarts.
    if (isPaused || isClosed || underWay.length >= FRAMES_UNDER_WAY) return;
    const before = sentUpto;
    flush();
    if (sentUpto === before || gatheredMs === 0) return;
    gathering = setTimeout(() => {
      gathering = null;
      if (isFlushRequested) answer();
    }, gatheredMs);
  }

  function flush(): void {
    // The window starts at the first unacknowledged event, which must be sent first.
    const waiting = window.slice(0, mostItems).filter(({ wseq }) => wseq > sentUpto);
    for (let at = 0; at < waiting.length;) {
      const start = at;
      let bytes = 0;
      for (; at < waiting.length && at - start < FRAME_ITEMS; at++) {
        bytes += waiting[at].bytes + 1;
        if (bytes > FRAME_BYTES && at > start) break;
      }
      const part = waiting.slice(start, at);
      sentUpto = part[part.length - 1].wseq;
      underWay.push(sentUpto);
      options.send(`[${part.map(({ text }) => text).join(",")}]`);
    }
    options.onSent();
  }
}

function sized(wseq: number, text: string): Numbered {
  return { wseq, text, bytes: Buffer.byteLength(text) };
}

/** Null where a power cut or a full disk has corrupted the line. */
function numberOf(line: string): number | null {
  try {
    const { wseq }: { readonly wseq?: unknown } = JSON.parse(line);
    return typeof wseq === "number" ? wseq : null;
  } catch {
    return null;
  }
}
