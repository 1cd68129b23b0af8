/**
 * What one run says on the bus, numbered, until the panel has it. A window of it is in memory and on its way; when the window is full
 * the rest waits in a spool file, and everything said later waits behind it, so the order stays. When the file is full too, what an
 * agent printed goes first and what is not of the run's own accounts next; one `gap` says how much. Whatever was sent on a connection
 * that broke is sent again: the panel knows its numbers. A frame costs the panel a commit, however little is in it, so lines that follow one
 * another closely share one, and a panel that is behind is sent fewer and fuller ones.
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
  /** The panel has everything up to this number. */
  acked(upto: number): void;
  /** On a new connection: everything behind this number is sent again. */
  resume(upto: number): void;
  /** Nothing is sent until `resume`. */
  pause(): void;
  /** Everything that was said has been sent at least once on the connection that is up. */
  readonly isSent: boolean;
  readonly lastNumber: number;
  /** Moves what memory holds into the file, where a restart finds it. Once, when nothing more will be said. */
  settle(): void;
  close(): void;
}

export interface EventStreamOptions {
  /** The file of what waits; it may hold lines of an earlier process. */
  readonly path: string;
  /** One frame: `items` is the text of a JSON array. */
  readonly send: (items: string) => void;
  readonly onSent: () => void;
  readonly now: () => Date;
  readonly bounds?: StreamBounds;
}

export interface StreamBounds {
  /** Sent and not acknowledged. */
  readonly items: number;
  readonly bytes: number;
  readonly spoolBytes: number;
  /** After a frame the next one waits so long for what is said meanwhile; what is said after a rest goes at once. */
  readonly gatheredMs: number;
}

/** Nobody who reads along sees that a line is a fiftieth of a second late. */
const BOUNDS: StreamBounds = { items: 512, bytes: 1024 * 1024, spoolBytes: 64 * 1024 * 1024, gatheredMs: 20 };
/** Sent and not acknowledged: as many as hide the way there and back; with more, a panel that is behind would only have a longer queue. */
const FRAMES_UNDER_WAY = 4;
/** Of a frame of 256 KiB, with room for its own members. */
const FRAME_BYTES = 240 * 1024;
const FRAME_ITEMS = 512;
/** Read from the file at once. */
const PIECE_BYTES = 64 * 1024;

/** Never given up, however full it is: there are few of them, and the run is judged by them. */
const RETAINED_KINDS: ReadonlySet<BusKind> = new Set(["state", "usage", "verify", "verdict"]);
/** Given up first: there is much of it, and the least in each. */
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
  /** The last number of each frame that was sent and not acknowledged. */
  let underWay: number[] = [];
  let gathering: NodeJS.Timeout | null = null;
  let lastNumber = 0;
  let isPaused = true;
  let isFlushRequested = false;
  let isClosed = false;
  /** Given up since the file was full, by kind; null while it is not. */
  let lost: Map<BusKind, number> | null = null;

  // Lines of an earlier process: the window takes what it can hold, and so learns the last number.
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
      // In the order of their numbers. The window stays: what is read twice is sent twice, and known by its number.
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

  /** Once until the file is empty again: after it nothing comes in that could be taken out. */
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
          text: `${total} messages were given up: the panel could not take them in time.`,
          data: { lost: counts },
          round: null,
        }),
      );
  }

  /** What is said in one turn of the event loop goes into one frame. */
  function ask(): void {
    if (isFlushRequested || isPaused || isClosed) return;
    isFlushRequested = true;
    if (gathering === null) setImmediate(answer);
  }

  function answer(): void {
    isFlushRequested = false;
    // The next acknowledgement asks again; a connection that brings none breaks, and the next one begins anew.
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
    // The window begins at what was not acknowledged: what is behind its first items is not sent before they are.
    const waiting = window.slice(0, mostItems).filter(({ wseq }) => wseq > sentUpto);
    for (let at = 0; at < waiting.length;) {
      const begun = at;
      let bytes = 0;
      for (; at < waiting.length && at - begun < FRAME_ITEMS; at++) {
        bytes += waiting[at].bytes + 1;
        if (bytes > FRAME_BYTES && at > begun) break;
      }
      const part = waiting.slice(begun, at);
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

/** Null where a power cut or a full disk has left something else in the file. */
function numberOf(line: string): number | null {
  try {
    const { wseq }: { readonly wseq?: unknown } = JSON.parse(line);
    return typeof wseq === "number" ? wseq : null;
  } catch {
    return null;
  }
}
