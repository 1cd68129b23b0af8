/**
 * Sends the events of one run in frames. A new connection resends unacknowledged events. Each frame costs the panel a commit, so close
 * events share one.
 */
import { createEventQueue, type QueueBounds, type QueuedEvent, type WireItem } from "./event-queue.ts";

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

export interface StreamBounds extends QueueBounds {
  /** Batching delay after a frame; after a pause an event is sent immediately. */
  readonly gatheredMs: number;
}

/** Readers do not notice a delay of 20 ms. */
const BOUNDS: StreamBounds = { items: 512, bytes: 1024 * 1024, spoolBytes: 64 * 1024 * 1024, gatheredMs: 20 };
/** Unacknowledged frames: enough to hide the round trip. More would only lengthen the queue of a slow panel. */
const FRAMES_UNDER_WAY = 4;
/** A frame has 256 KiB, of which its other members need some. */
const FRAME_BYTES = 240 * 1024;
const FRAME_ITEMS = 512;

export function createEventStream({ path, send, onSent, now, bounds = BOUNDS }: EventStreamOptions): EventStream {
  const queue = createEventQueue({ path, now, bounds });
  let sentUpto = 0;
  /** The last number of each unacknowledged frame. */
  let underWay: number[] = [];
  let gathering: NodeJS.Timeout | null = null;
  let isPaused = true;
  let isFlushRequested = false;
  let isClosed = false;

  return {
    say(item) {
      if (isClosed) return;
      queue.push(item);
      requestFlush();
    },
    acked,
    resume(upto) {
      isPaused = false;
      sentUpto = upto;
      underWay = [];
      acked(upto);
    },
    pause() {
      isPaused = true;
    },
    get isSent() {
      return !isPaused && queue.endsAt(sentUpto);
    },
    get lastNumber() {
      return queue.lastNumber;
    },
    settle() {
      queue.settle();
      requestFlush();
    },
    close() {
      isClosed = true;
      if (gathering !== null) clearTimeout(gathering);
      queue.close();
    },
  };

  function acked(upto: number): void {
    queue.release(upto);
    underWay = underWay.filter((last) => last > upto);
    requestFlush();
  }

  /** Events of one turn of the event loop share a frame. */
  function requestFlush(): void {
    if (isFlushRequested || isPaused || isClosed) return;
    isFlushRequested = true;
    if (gathering === null) setImmediate(flush);
  }

  function flush(): void {
    isFlushRequested = false;
    // The next acknowledgement triggers a retry; without one, the connection times out and restarts.
    if (isPaused || isClosed || underWay.length >= FRAMES_UNDER_WAY) return;
    const before = sentUpto;
    // The window starts at the first unacknowledged event, which must be sent first.
    for (const frame of framesOf(queue.after(sentUpto))) {
      sentUpto = frame[frame.length - 1].wseq;
      underWay.push(sentUpto);
      send(`[${frame.map(({ text }) => text).join(",")}]`);
    }
    onSent();
    if (sentUpto === before || bounds.gatheredMs === 0) return;
    gathering = setTimeout(() => {
      gathering = null;
      if (isFlushRequested) flush();
    }, bounds.gatheredMs);
  }
}

function framesOf(events: readonly QueuedEvent[]): readonly (readonly QueuedEvent[])[] {
  const frames: QueuedEvent[][] = [];
  let frame: QueuedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    bytes += event.bytes + 1;
    if (frame.length === 0 || frame.length === FRAME_ITEMS || bytes > FRAME_BYTES) {
      frame = [];
      frames.push(frame);
      bytes = event.bytes + 1;
    }
    frame.push(event);
  }
  return frames;
}
