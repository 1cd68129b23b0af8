/**
 * A persistent event stream. The browser reconnects after a first break, with `Last-Event-ID`; after that, or a refusal, this code
 * reconnects with backoff at the URL of `address`. A tab hidden for 5 s closes the stream, because a browser allows one host six
 * connections, and reopens it when visible.
 */
import { pauseMs } from "./backoff.ts";

export interface Followed {
  /** Called at each connect: returns the URL with the position. */
  readonly address: () => string;
  readonly onMessage: (event: MessageEvent<string>) => void;
  readonly onOpen?: () => void;
  readonly onLost?: () => void;
  /** The stream is complete. */
  readonly onEnd?: () => void;
  /** Called if the stream is refused (401, 404, or 204 for a completed one). */
  readonly onRefused?: () => void;
}

const HIDDEN_MS = 5_000;
/** The browser's own reconnect takes a second. */
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
