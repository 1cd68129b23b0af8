/** Keeps one connection to the panel open. Runs in its own thread (`connection-thread.ts`), so that runs do not delay heartbeats. */
import { statfs } from "node:fs/promises";
import { loadavg } from "node:os";
import { FRAME_BYTES_MAX, WORKER_SUBPROTOCOL } from "@triptych/contracts";
import { WebSocket } from "ws";
import { frameText, readFrame } from "../session/frames.ts";
import type { Handshake, OnEvent, Connection, WorkerStatus } from "./connection.ts";
import type { Clock } from "../run/clock.ts";
import { REFUSED_WAIT_MS, waitBefore } from "./reconnect.ts";

export interface DialOptions {
  /** Address of the panel, `http` or `https`. */
  readonly panel: string;
  readonly key: string;
  readonly greeting: Handshake;
  readonly status: WorkerStatus;
  /** The folder of runs: heartbeats report its free disk space. */
  readonly folder: string;
  readonly clock: Clock;
  readonly onEvent: OnEvent;
}

/** The panel pings every 15 s: after three missed pings it is gone, whatever the socket reports. */
const SILENCE_MS = 45_000;
const HANDSHAKE_MS = 10_000;
/** A connection of at least this age resets the backoff. */
const LASTING_MS = 10_000;
/** Time to flush the last frames. */
const CLOSING_MS = 2_000;
const MEBIBYTE = 1024 * 1024;

/** Meaning of close codes; all others lead to a quick retry. */
const GONE: Readonly<Record<number, string>> = {
  4409: "another process has connected with this worker's id; exiting",
  4410: "this worker was deleted in the panel; restart it to register again",
};
/** Close reason for a connection that this process has replaced. */
const OWN = "reconnected";
const REFUSED = 4401;
const FULL = 4403;

type End = { readonly wasUp: boolean } & (
  | { readonly kind: "lost"; readonly why: string }
  | { readonly kind: "refused" }
  | { readonly kind: "full"; readonly why: string }
  | { readonly kind: "gone"; readonly why: string }
);

export function keepConnected(options: DialOptions): Connection {
  const { clock, onEvent } = options;
  const stop = new AbortController();
  let { key, status } = options;
  let workerId = options.greeting.workerId;
  let socket: WebSocket | undefined;
  const ended = keep();

  return {
    send(text) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(text);
    },
    stand(now) {
      status = now;
    },
    useKey(newer) {
      key = newer;
    },
    close() {
      stop.abort();
      return ended;
    },
  };

  async function keep(): Promise<void> {
    let tries = 0;
    let since = clock.now();
    while (!stop.signal.aborted) {
      const openedAt = clock.now();
      const end = await connection();
      if (end.wasUp) onEvent({ kind: "down" });
      if (stop.signal.aborted) return;
      if (end.wasUp && clock.now() - openedAt > LASTING_MS) tries = 0;
      if (tries === 0) since = clock.now();
      switch (end.kind) {
        case "gone":
          return onEvent({ kind: "dismissed", why: end.why });
        case "refused":
          onEvent({ kind: "refused" });
          await clock.wait(REFUSED_WAIT_MS, stop.signal);
          break;
        case "full":
          onEvent({ kind: "trouble", text: `panel accepts no more workers; retrying in one minute: ${end.why}` });
          await clock.wait(REFUSED_WAIT_MS, stop.signal);
          break;
        case "lost":
          onEvent({ kind: "trouble", text: `panel unreachable; retrying: ${end.why}` });
          await clock.wait(waitBefore({ tries, lasted: clock.now() - since }, clock.random()), stop.signal);
      }
      tries++;
    }
  }

  /** One connection, from dialling to its end. */
  function connection(): Promise<End> {
    return new Promise((resolve) => {
      const address = new URL("/api/worker/connect", options.panel.replace(/^http/, "ws"));
      const ws = new WebSocket(address, WORKER_SUBPROTOCOL, {
        headers: { Authorization: `Bearer ${key}` },
        perMessageDeflate: false,
        maxPayload: FRAME_BYTES_MAX,
        handshakeTimeout: HANDSHAKE_MS,
      });
      let wasUp = false;
      let why = "connection refused";
      let heartbeat: NodeJS.Timeout | undefined;
      const silence = setTimeout(() => ws.terminate(), SILENCE_MS);
      const close = () => {
        ws.close(1000);
        setTimeout(() => ws.terminate(), CLOSING_MS).unref();
      };
      stop.signal.addEventListener("abort", close, { once: true });
      ws.on("open", () => {
        socket = ws;
        ws.send(hello());
      });
      ws.on("message", (data, isBinary) => {
        silence.refresh();
        if (isBinary || !(data instanceof Buffer)) return;
        const read = readFrame(data.toString());
        if (read.kind === "malformed") onEvent({ kind: "trouble", text: `invalid frame from the panel: ${read.type}` });
        if (read.kind !== "frame") return;
        if (read.frame.t === "welcome") {
          wasUp = true;
          workerId = read.frame.worker_id;
          heartbeat ??= setInterval(() => void sendHeartbeat(ws), read.frame.hb_s * 1000);
        }
        onEvent({ kind: "frame", frame: read.frame });
      });
      ws.on("ping", () => silence.refresh());
      ws.on("error", (error) => {
        why = error.message;
      });
      ws.on("unexpected-response", (request, response) => {
        request.destroy();
        finish(
          response.statusCode === 401 ? { kind: "refused", wasUp } : lost(`unexpected status ${response.statusCode}`),
        );
      });
      ws.on("close", (code, reason) => finish(endOf(code, reason.toString())));

      function endOf(code: number, reason: string): End {
        if (code in GONE && reason !== OWN) return { kind: "gone", why: GONE[code], wasUp };
        if (code === REFUSED) return { kind: "refused", wasUp };
        if (code === FULL) return { kind: "full", why: reason, wasUp };
        return lost(
          reason === "" ? (wasUp ? `connection closed (${code})` : why) : `connection closed (${code}): ${reason}`,
        );
      }

      function lost(why: string): End {
        return { kind: "lost", why, wasUp };
      }

      function finish(end: End): void {
        clearTimeout(silence);
        clearInterval(heartbeat);
        stop.signal.removeEventListener("abort", close);
        if (socket === ws) socket = undefined;
        resolve(end);
      }
    });
  }

  function hello(): string {
    const { workerId: _, process, embedded, canCheck, ...greeting } = options.greeting;
    const frame = { t: "hello", proto: 1, worker_id: workerId, ...greeting, holding: status.holding } as const;
    // Readers of protocol version 1 ignore unknown members.
    return JSON.stringify({ ...frame, process, embedded, can_check: canCheck, checking: status.checking });
  }

  async function sendHeartbeat(ws: WebSocket): Promise<void> {
    const { bavail, bsize } = await statfs(options.folder).catch(() => ({ bavail: 0, bsize: 0 }));
    if (ws.readyState !== WebSocket.OPEN) return;
    const holding = status.holding.map(({ run_id, epoch }) => ({ run_id, epoch }));
    ws.send(
      frameText({
        t: "hb",
        holding,
        free_slots: status.freeSlots,
        load: loadavg()[0],
        disk_free_mb: Math.floor((bavail * bsize) / MEBIBYTE),
      }),
    );
  }
}
