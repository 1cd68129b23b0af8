/** Keeps one connection to the panel open. Runs in its own thread (`connection-thread.ts`), so that runs do not delay heartbeats. */
import { statfs } from "node:fs/promises";
import { loadavg } from "node:os";
import { FRAME_BYTES_MAX, WORKER_SUBPROTOCOL } from "@triptych/contracts";
import { WebSocket } from "ws";
import { frameText, readFrame } from "../session/frames.ts";
import type { Handshake, OnEvent, Connection, WorkerStatus } from "./connection.ts";
import { tunnelTo } from "../model-proxy/panel-proxy.ts";
import type { Clock } from "../run/clock.ts";
import { afterConnection, endOf, type ConnectionEnd, type RetryState } from "./reconnect.ts";

export interface DialOptions {
  /** Address of the panel, `http` or `https`. */
  readonly panel: string;
  /** Address of a proxy for connections to the panel. */
  readonly proxy: string | null;
  readonly key: string;
  readonly greeting: Handshake;
  readonly status: WorkerStatus;
  /** The folder of runs, whose free disk space heartbeats report. */
  readonly folder: string;
  readonly clock: Clock;
  readonly onEvent: OnEvent;
}

/** The panel pings every 15 s. After three missed pings the connection counts as lost, whatever the socket reports. */
const SILENCE_MS = 45_000;
const HANDSHAKE_MS = 10_000;
/** Time to flush the last frames. */
const CLOSING_MS = 2_000;
const MEBIBYTE = 1024 * 1024;

interface ConnectionState {
  key: string;
  status: WorkerStatus;
  workerId: string | null;
  /** Set while the connection is open. */
  socket: WebSocket | undefined;
}

export function keepConnected(options: DialOptions): Connection {
  const { key, status, greeting } = options;
  const state: ConnectionState = { key, status, workerId: greeting.workerId, socket: undefined };
  const stop = new AbortController();
  const ended = reconnect(state, options, stop.signal);
  return {
    send(text) {
      if (state.socket?.readyState === WebSocket.OPEN) state.socket.send(text);
    },
    setStatus(newer) {
      state.status = newer;
    },
    useKey(newer) {
      state.key = newer;
    },
    close() {
      stop.abort();
      return ended;
    },
  };
}

async function reconnect(state: ConnectionState, options: DialOptions, signal: AbortSignal): Promise<void> {
  const { clock, onEvent } = options;
  let retry: RetryState = { tries: 0, since: clock.now() };
  while (!signal.aborted) {
    const openedAt = clock.now();
    const { end, wasUp } = await connectOnce(state, options, signal);
    if (wasUp) onEvent({ kind: "down" });
    if (signal.aborted) return;
    const next = afterConnection(retry, { end, openedAt, wasUp }, { now: clock.now(), random: clock.random() });
    onEvent(next.event);
    if (next.waitMs === null) return;
    await clock.wait(next.waitMs, signal);
    ({ retry } = next);
  }
}

/** From dialling to the end of the connection. */
function connectOnce(
  state: ConnectionState,
  { panel, proxy, greeting, folder, onEvent }: DialOptions,
  signal: AbortSignal,
): Promise<{ readonly end: ConnectionEnd; readonly wasUp: boolean }> {
  const ended = Promise.withResolvers<{ readonly end: ConnectionEnd; readonly wasUp: boolean }>();
  const ws = new WebSocket(new URL("/api/worker/connect", panel.replace(/^http/, "ws")), WORKER_SUBPROTOCOL, {
    headers: { Authorization: `Bearer ${state.key}` },
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
    handshakeTimeout: HANDSHAKE_MS,
    ...(proxy !== null && { createConnection: tunnelTo(panel, proxy) }),
  });
  let wasUp = false;
  let fault = "connection refused";
  let heartbeat: NodeJS.Timeout | undefined;
  const silence = setTimeout(() => ws.terminate(), SILENCE_MS);
  const close = () => {
    ws.close(1000);
    setTimeout(() => ws.terminate(), CLOSING_MS).unref();
  };
  signal.addEventListener("abort", close, { once: true });
  ws.on("open", () => {
    state.socket = ws;
    ws.send(helloText(state, greeting));
  });
  ws.on("message", (data, isBinary) => {
    silence.refresh();
    if (isBinary || !(data instanceof Buffer)) return;
    const read = readFrame(data.toString());
    if (read.kind === "malformed") onEvent({ kind: "error", text: `invalid frame from the panel: ${read.type}` });
    if (read.kind !== "frame") return;
    if (read.frame.t === "welcome") {
      wasUp = true;
      state.workerId = read.frame.worker_id;
      heartbeat ??= setInterval(() => void sendHeartbeat(ws, state, folder), read.frame.hb_s * 1000);
    }
    onEvent({ kind: "frame", frame: read.frame });
  });
  ws.on("ping", () => silence.refresh());
  ws.on("error", ({ message }) => (fault = message));
  ws.on("unexpected-response", (request, { statusCode }) => {
    request.destroy();
    finish(statusCode === 401 ? { kind: "refused" } : { kind: "lost", why: `unexpected status ${statusCode}` });
  });
  ws.on("close", (code, reason) => finish(endOf(code, reason.toString(), wasUp ? null : fault)));
  return ended.promise;

  function finish(end: ConnectionEnd): void {
    clearTimeout(silence);
    clearInterval(heartbeat);
    signal.removeEventListener("abort", close);
    if (state.socket === ws) state.socket = undefined;
    ended.resolve({ end, wasUp });
  }
}

function helloText({ workerId, status }: ConnectionState, handshake: Handshake): string {
  const { workerId: _, process, embedded, canCheck, ...greeting } = handshake;
  const frame = { t: "hello", proto: 1, worker_id: workerId, ...greeting, holding: status.holding } as const;
  // Readers of protocol version 1 ignore unknown members.
  return JSON.stringify({ ...frame, process, embedded, can_check: canCheck, checking: status.checking });
}

async function sendHeartbeat(ws: WebSocket, state: ConnectionState, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }));
  if (ws.readyState !== WebSocket.OPEN) return;
  ws.send(
    frameText({
      t: "hb",
      holding: state.status.holding.map(({ run_id, epoch }) => ({ run_id, epoch })),
      free_slots: state.status.freeSlots,
      load: loadavg()[0],
      disk_free_mb: Math.floor((bavail * bsize) / MEBIBYTE),
    }),
  );
}
