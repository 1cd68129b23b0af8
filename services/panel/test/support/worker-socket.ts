/** The worker side of the channel: a real WebSocket that records received frames. */
import { once } from "node:events";
import { WORKER_SUBPROTOCOL, type PanelFrame } from "@triptych/contracts";
import { WebSocket } from "ws";

type Frame<T extends PanelFrame["t"]> = Extract<PanelFrame, { readonly t: T }>;

export interface WorkerSocket {
  readonly socket: WebSocket;
  /** All received frames. */
  readonly received: readonly PanelFrame[];
  say(frame: object): void;
  /** The next frame of this type, in order; includes earlier unread ones. */
  next<T extends PanelFrame["t"]>(type: T): Promise<Frame<T>>;
  /** Resolves once the panel has seen a sign of life at the current time. */
  alive(): Promise<void>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

export const HELLO = {
  t: "hello",
  proto: 1,
  worker_id: null,
  process: "process-1",
  name: "box-1",
  version: "1.0.0",
  slots: 2,
  isolation: "sandbox",
  os: "linux",
  agents: [{ cli: "codex", version: "1.0.0", adapter: "jsonl", models: ["gpt-x"] }],
  holding: [],
} as const;

export async function openWorkerSocket(url: string, licenseKey: string): Promise<WorkerSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/worker/connect`, WORKER_SUBPROTOCOL, {
    headers: { authorization: `Bearer ${licenseKey}` },
    perMessageDeflate: false,
  });
  const received: PanelFrame[] = [];
  const taken = new Set<PanelFrame>();
  const waiting = new Set<() => void>();
  socket.on("message", (data: Buffer) => {
    received.push(JSON.parse(data.toString()) as PanelFrame);
    for (const check of waiting) check();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await once(socket, "open");
  return {
    socket,
    received,
    say: (frame) => socket.send(JSON.stringify(frame)),
    next<T extends PanelFrame["t"]>(type: T) {
      return new Promise<Frame<T>>((resolve, reject) => {
        const check = () => {
          const match = received.find((frame): frame is Frame<T> => frame.t === type && !taken.has(frame));
          if (match === undefined) return;
          taken.add(match);
          waiting.delete(check);
          resolve(match);
        };
        waiting.add(check);
        check();
        void closed.then(({ code, reason }) => reject(new Error(`closed ${code} ${reason} before a ${type} came`)));
      });
    },
    async alive() {
      const pong = once(socket, "pong");
      socket.ping();
      await pong;
    },
    closed,
  };
}
