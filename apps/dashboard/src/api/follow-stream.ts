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
  let retry: ReturnType<typeof setTimeout> | undefined;
  let sleep: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  function open(): void {
    clearTimeout(retry);
    source?.close();
    const mine = new EventSource(followed.address());
    source = mine;
    mine.addEventListener("open", () => {
      clearTimeout(retry);
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
      const isLeftToBrowser = !isClosed && failures === 1;
      if (!isLeftToBrowser) mine.close();
      clearTimeout(retry);
      retry = setTimeout(open, isLeftToBrowser ? OWN_RETURN_MS : pauseMs(failures, Math.random()));
    });
  }

  function close(): void {
    clearTimeout(retry);
    source?.close();
    source = null;
  }

  function onVisibility(): void {
    clearTimeout(sleep);
    if (!document.hidden) {
      if (source?.readyState !== EventSource.OPEN) open();
      return;
    }
    sleep = setTimeout(() => {
      close();
      followed.onLost?.();
    }, HIDDEN_MS);
  }

  function stop(): void {
    isOver = true;
    clearTimeout(sleep);
    close();
    document.removeEventListener("visibilitychange", onVisibility);
  }

  document.addEventListener("visibilitychange", onVisibility);
  open();
  if (document.hidden) onVisibility();
  return stop;
}
