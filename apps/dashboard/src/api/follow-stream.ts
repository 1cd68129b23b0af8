/**
 * An event stream that is kept open. The browser comes back by itself after a first break, and sends `Last-Event-ID`; where that fails
 * too, or the panel refuses, we come back with a growing pause, behind what `address` then says. Who is hidden for 5 s is closed, since a
 * browser gives one host six connections, and opened again when looked at.
 */
import { pauseMs } from "./backoff.ts";

export interface Followed {
  /** Asked at each opening: it says behind what to begin. */
  readonly address: () => string;
  readonly onMessage: (event: MessageEvent<string>) => void;
  readonly onOpen?: () => void;
  readonly onLost?: () => void;
  /** The stream says that nothing more will come. */
  readonly onEnd?: () => void;
  /** The panel closed without a stream (401, 404, or 204 for one that has ended). */
  readonly onRefused?: () => void;
}

const HIDDEN_MS = 5_000;
/** The browser's own return takes a second. */
const OWN_RETURN_MS = 4_000;

export function followStream(followed: Followed): () => void {
  let source: EventSource | null = null;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  function open(): void {
    clearTimeout(timer);
    source?.close();
    const mine = new EventSource(followed.address());
    source = mine;
    mine.addEventListener("open", () => {
      clearTimeout(timer);
      failures = 0;
      followed.onOpen?.();
    });
    mine.addEventListener("message", followed.onMessage);
    mine.addEventListener("end", () => {
      stop();
      followed.onEnd?.();
    });
    mine.addEventListener("error", () => {
      if (source !== mine) return;
      failures++;
      followed.onLost?.();
      const isClosed = mine.readyState === EventSource.CLOSED;
      if (isClosed) followed.onRefused?.();
      if (isOver) return;
      if (!isClosed && failures === 1) again(OWN_RETURN_MS);
      else {
        mine.close();
        again(pauseMs(failures, Math.random()));
      }
    });
  }

  function again(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(open, ms);
  }

  function onVisibility(): void {
    clearTimeout(timer);
    if (document.hidden)
      timer = setTimeout(() => {
        source?.close();
        source = null;
        followed.onLost?.();
      }, HIDDEN_MS);
    else if (source === null || source.readyState !== EventSource.OPEN) open();
  }

  function stop(): void {
    isOver = true;
    clearTimeout(timer);
    source?.close();
    document.removeEventListener("visibilitychange", onVisibility);
  }

  document.addEventListener("visibilitychange", onVisibility);
  open();
  return stop;
}
