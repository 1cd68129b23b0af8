/** One connection from upgrade to close: hello first, then frames. Frames of one run are handled in order, others in parallel. */
import { FRAME_BYTES_MAX, WORKER_CLOSES, type WorkerFrame } from "@triptych/contracts";
import type { RawData, WebSocket } from "ws";
import { readFrame } from "./frames.ts";
import { acceptHandshake, type WorkerCredentials } from "./handshake.ts";
import { WorkerConnection } from "./link.ts";
import type { Connection } from "./connection-registry.ts";
import type { ChannelContext } from "./channel-context.ts";

export interface Session {
  readonly link: WorkerConnection;
  readonly openedAt: number;
  isGreeted: boolean;
}

export interface SessionEnds {
  readonly entered: (connection: Connection) => void;
  readonly left: (connection: Connection | null, session: Session) => void;
  readonly onFrame: (connection: Connection, frame: WorkerFrame) => Promise<void>;
}

/** Above this number of pending frames, reading pauses. */
const PENDING_FRAMES_MAX = 256;

export function openSession(
  context: ChannelContext,
  pass: WorkerCredentials,
  socket: WebSocket,
  ends: SessionEnds,
): Session {
  const { timers, onError } = context;
  const link = new WorkerConnection(socket, timers.now());
  const session: Session = { link, openedAt: timers.now(), isGreeted: false };
  const later = createFrameQueues(socket, (error) => {
    onError(error, "handling a worker frame failed; closing the connection");
    link.close(OUR_FAULT, "internal");
  });
  let live: Connection | null = null;
  let isOver = false;

  // The socket library closes on protocol errors itself; an oversized frame gets our close code.
  const close = socket.close.bind(socket);
  socket.close = (code, reason) => close(code === TOO_BIG ? WORKER_CLOSES.tooLarge : code, reason);
  socket.on("error", () => {});
  socket.on("pong", () => link.ponged(timers.now()));
  socket.on("ping", () => link.markSeen(timers.now()));
  socket.on("message", (data, isBinary) => onMessage(data, isBinary));
  socket.on("close", () => {
    isOver = true;
    ends.left(live, session);
  });
  return session;

  function onMessage(data: RawData, isBinary: boolean): void {
    if (isOver) return;
    link.markSeen(timers.now());
    if (isBinary || !Buffer.isBuffer(data)) return refuse("frames must be text");
    if (data.length > FRAME_BYTES_MAX) return link.close(WORKER_CLOSES.tooLarge, "frame too large: at most 256 KiB");
    const result = readFrame(data.toString());
    if (result.kind === "malformed") return refuse(result.why);
    if (result.kind === "unknown") return;
    const { frame } = result;
    if (frame.t === "hello") return session.isGreeted ? refuse("duplicate hello") : begin(frame);
    if (live === null)
      return session.isGreeted ? later("", () => follow(frame)) : refuse("hello must be the first frame");
    follow(frame);
  }

  function begin(frame: Extract<WorkerFrame, { readonly t: "hello" }>): void {
    session.isGreeted = true;
    later("", async () => {
      const greeting = await acceptHandshake(context, pass, link, frame);
      if (greeting.kind === "refused") return link.close(greeting.code, greeting.reason);
      live = greeting.connection;
      // Disconnected during the handshake: no other code reports it.
      if (isOver) ends.left(live, session);
      else ends.entered(live);
    });
  }

  /** Waits for the hello in progress, then for the queue of its run. */
  function follow(frame: WorkerFrame): void {
    const connection = live;
    if (connection === null || isOver) return;
    later("run_id" in frame ? frame.run_id : null, () => ends.onFrame(connection, frame));
  }

  function refuse(why: string): void {
    link.close(WORKER_CLOSES.badFrame, why);
  }
}

type Work = () => Promise<unknown> | void;

/** Queues frames by run: a frame starts after the previous frame of its run. Frames without a run start at once. */
function createFrameQueues(socket: WebSocket, onFailure: (error: unknown) => void) {
  const lastByQueue = new Map<string, Promise<void>>();
  let underWay = 0;

  return (queue: string | null, work: Work): void => {
    underWay += 1;
    if (underWay === PENDING_FRAMES_MAX) socket.pause();
    const done = runAfter(queue === null ? undefined : lastByQueue.get(queue), work).finally(() => {
      underWay -= 1;
      if (underWay === PENDING_FRAMES_MAX - 1) socket.resume();
      if (queue !== null && lastByQueue.get(queue) === done) lastByQueue.delete(queue);
    });
    if (queue !== null) lastByQueue.set(queue, done);
  };

  async function runAfter(before: Promise<void> | undefined, work: Work): Promise<void> {
    await before;
    try {
      await work();
    } catch (error) {
      onFailure(error);
    }
  }
}

/** RFC 6455, 7.4.1. */
const TOO_BIG = 1009;
const OUR_FAULT = 1011;
