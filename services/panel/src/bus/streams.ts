/**
 * Open event streams. Each gets a keep-alive every 15 s against proxy timeouts and re-authorizes its reader every 60 s. A slow reader is
 * disconnected and resumes on reconnect. A stream ends when its response closes.
 */
import type { FastifyReply } from "fastify";

export interface EventStream {
  readonly isOpen: boolean;
  readonly closed: Promise<void>;
  /** The same bytes may go to several streams. */
  write(event: string | Uint8Array): void;
  /** Resolves when all writes have drained, or the stream is closed. */
  drained(): Promise<void>;
  end(event?: string): void;
}

export type MayStay = () => Promise<boolean>;

export interface Streams extends Disposable {
  open(reply: FastifyReply, mayStay: MayStay): EventStream;
  readonly count: number;
  tick(): void;
}

export const COMMENT_MS = 15_000;
export const RECHECK_MS = 60_000;
const QUEUED_BYTES = 1024 * 1024;
/** A reader that catches up waits while more than this is buffered. */
const PAUSE_BYTES = 256 * 1024;

const HEADERS = { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" };

interface Open {
  readonly stream: EventStream;
  readonly mayStay: MayStay;
  commentAt: number;
  recheckAt: number;
}

export function openStreams(now: () => number): Streams {
  const open = new Set<Open>();
  let isStopped = false;

  return {
    get count() {
      return open.size;
    },
    open(reply, mayStay) {
      const { raw } = reply;
      reply.hijack();
      raw.writeHead(200, { ...withoutUndefined(reply.getHeaders()), ...HEADERS });
      // Send small writes immediately.
      raw.socket?.setNoDelay(true);
      const stream = streamOn(raw);
      const entry: Open = { stream, mayStay, commentAt: now() + COMMENT_MS, recheckAt: now() + RECHECK_MS };
      open.add(entry);
      void stream.closed.then(() => open.delete(entry));
      if (reply.request.method === "HEAD" || isStopped) stream.end();
      else stream.write("retry: 1000\n\n");
      return stream;
    },
    tick() {
      for (const entry of open) {
        if (now() >= entry.commentAt) {
          entry.commentAt = now() + COMMENT_MS;
          entry.stream.write(":\n\n");
        }
        if (now() < entry.recheckAt) continue;
        entry.recheckAt = now() + RECHECK_MS;
        // After an error, the next check decides: an unavailable store ends no stream.
        void entry.mayStay().then(
          (may) => !may && entry.stream.end(),
          () => undefined,
        );
      }
    },
    [Symbol.dispose]() {
      isStopped = true;
      for (const { stream } of open) stream.end();
    },
  };
}

function streamOn(raw: FastifyReply["raw"]): EventStream {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  raw.once("close", () => resolve());
  return {
    closed,
    get isOpen() {
      return !raw.destroyed && !raw.writableEnded;
    },
    write(event) {
      if (raw.destroyed || raw.writableEnded) return;
      if (raw.writableLength > QUEUED_BYTES) raw.destroy();
      else raw.write(event);
    },
    drained() {
      if (raw.destroyed || raw.writableLength < PAUSE_BYTES) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          raw.off("drain", done);
          raw.off("close", done);
          resolve();
        };
        raw.once("drain", done);
        raw.once("close", done);
      });
    },
    end(event) {
      if (!raw.destroyed && !raw.writableEnded) raw.end(event);
    },
  };
}

function withoutUndefined(headers: Readonly<Record<string, number | string | string[] | undefined>>) {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
