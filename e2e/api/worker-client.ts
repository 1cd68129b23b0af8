/** A worker of the panel, driven step by step: its frames are fixed, so captured examples do not depend on the machine. */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { PanelFrame } from "@triptych/contracts";
import { WORKER_SUBPROTOCOL } from "@triptych/contracts";
import { WebSocket } from "ws";

type FrameOf<T extends PanelFrame["t"]> = Extract<PanelFrame, { readonly t: T }>;

export interface WorkerClient extends AsyncDisposable {
  say(frame: object): void;
  /** The next unread frame of this type; others stay unread. */
  next<T extends PanelFrame["t"]>(type: T): Promise<FrameOf<T>>;
}

const HELLO = {
  t: "hello",
  proto: 1,
  worker_id: null,
  process: "process-1",
  name: "build-1",
  version: "0.2.0",
  slots: 2,
  isolation: "sandbox",
  os: "linux",
  agents: [{ cli: "codex", version: "1.0.0", adapter: "jsonl", models: ["gpt-x"] }],
  holding: [],
  can_check: true,
  checking: [],
};

export async function connectWorker(url: string, licenseKey: string): Promise<WorkerClient> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/worker/connect`, WORKER_SUBPROTOCOL, {
    headers: { authorization: `Bearer ${licenseKey}` },
    perMessageDeflate: false,
  });
  const unread: PanelFrame[] = [];
  socket.on("message", (data: Buffer) => {
    const frame: PanelFrame = JSON.parse(data.toString());
    // Each worker is tested at its first connection.
    if (frame.t === "probe") say({ t: "reply", cid: frame.cid, ok: true, data: { ok: true, latency_ms: 800 } });
    else unread.push(frame);
  });
  await once(socket, "open");
  const say = (frame: object) => socket.send(JSON.stringify(frame));
  say(HELLO);
  return {
    say,
    async next<T extends PanelFrame["t"]>(type: T) {
      const isOfType = (frame: PanelFrame): frame is FrameOf<T> => frame.t === type;
      for (;;) {
        const index = unread.findIndex(isOfType);
        const frame = unread[index];
        if (frame !== undefined && isOfType(frame)) {
          unread.splice(index, 1);
          return frame;
        }
        if (socket.readyState !== WebSocket.OPEN) throw new Error(`The panel closed the connection before a ${type}.`);
        await wait(20);
      }
    },
    async [Symbol.asyncDispose]() {
      if (socket.readyState === WebSocket.CLOSED) return;
      socket.close();
      await once(socket, "close");
    },
  };
}
