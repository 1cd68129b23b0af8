/**
 * A small panel for tests, on loopback: the worker channel by its contract, uploads, and a bare repository to clone. It stores each run's
 * epoch, state, deduplicated events and bundle. Connections break where a test wants it.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { workerFrames, type PanelFrame, type WorkerFrame } from "@triptych/contracts";
import { startForge } from "@triptych/fake-forge";
import { Value } from "typebox/value";
import { WebSocketServer, type WebSocket } from "ws";
import { createAssign, RUN_TOKEN, type Assign } from "./run-request.ts";
import { git, type TestRepository } from "./repository.ts";

type CheckCommand = Extract<PanelFrame, { readonly t: "check" }>;
export type Frame<T extends WorkerFrame["t"]> = Extract<WorkerFrame, { readonly t: T }>;

export interface PanelRun {
  epoch: number;
  /** Null: unassigned. */
  state: Frame<"state">["state"] | "assigned" | "accepted" | null;
  /** State messages, in order of arrival. */
  readonly states: Frame<"state">[];
  /** By number, deduplicated. */
  readonly events: Map<number, Frame<"events">["items"][number]>;
  bundle: { readonly bytes: Buffer; readonly digest: string } | null;
  readonly artifacts: Map<string, string>;
}

/** The fate of a received frame. */
export type Fate =
  | "heard"
  /** The connection breaks before the frame is read. */
  | "lost"
  /** The frame is stored, and the connection breaks before the response. */
  | "unanswered"
  /** The frame is stored, without a response. */
  | "held"
  /** The frame arrives twice, as after a lost response. */
  | "twice";

export interface PanelDouble extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly received: readonly WorkerFrame[];
  readonly connections: number;
  run(id: string): PanelRun;
  /** Assigns a run to the connected worker. */
  assign(changes?: Partial<Assign> & Readonly<Record<string, unknown>>): void;
  /** Assigns a check to the connected worker. */
  check(changes?: Partial<CheckCommand>): void;
  send(frame: PanelFrame): void;
  /** Resolves when the condition is true; evaluated after every event. */
  until(isSo: () => boolean): Promise<void>;
  framesOf<T extends WorkerFrame["t"]>(type: T): readonly Frame<T>[];
  /** Disconnects without a close code, like a broken cable. */
  disconnect(code?: number, reason?: string): void;
  useKey(key: string): void;
  /** Called for each frame but hello. */
  fate: (frame: WorkerFrame) => Fate;
  /** While true, events are not acknowledged. */
  isSlow: boolean;
  /** Sends the delayed acknowledgements. */
  acknowledge(runId: string): void;
  refuseUploads: number[];
}

export async function startPanel(
  repository: TestRepository,
  options: { readonly heartbeatS?: number } = {},
): Promise<PanelDouble> {
  const forge = await startForge({ folder: join(repository.folder, "forge"), token: RUN_TOKEN });
  git(join(repository.folder, "forge", "acme", "sum.git"), "fetch", "--quiet", repository.bare, "main:main");
  const runs = new Map<string, PanelRun>();
  const received: WorkerFrame[] = [];
  const watchers = new Set<() => void>();
  let socket: WebSocket | undefined;
  let key = "lic_the-first-key";
  let commands = 0;
  const server = createServer((request, response) => {
    upload(request, response).catch(() => response.destroy());
  });
  const channel = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on("upgrade", (request, raw, head) => {
    if (request.headers.authorization !== `Bearer ${key}`) {
      // A client stopped meanwhile does not receive the response.
      raw.on("error", () => {});
      raw.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      happened();
      return;
    }
    channel.handleUpgrade(request, raw, head, connected);
  });
  let connections = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;

  const panel: PanelDouble = {
    url,
    get key() {
      return key;
    },
    received,
    get connections() {
      return connections;
    },
    run: (id) => runOf(id),
    assign(changes = {}) {
      const frame = createAssign(`${forge.url}/acme/sum.git`, `c${++commands}`, changes);
      Object.assign(runOf(frame.run_id), { epoch: frame.epoch, state: "assigned" });
      panel.send(frame);
    },
    check(changes = {}) {
      const cid = `c${++commands}`;
      const { repo_id, clone, verify, limits, isolation } = createAssign(`${forge.url}/acme/sum.git`, cid);
      const about = { cid, check_id: "chk_1", repo_id, clone, token: RUN_TOKEN, timeout_s: 60 };
      panel.send({ t: "check", ...about, verify, limits, isolation, ...changes });
    },
    send: (frame) => socket?.send(JSON.stringify(frame)),
    async until(isSo) {
      while (!isSo()) await new Promise<void>((resolve) => watchers.add(resolve));
    },
    framesOf: (type) => received.filter((frame): frame is Extract<WorkerFrame, { t: typeof type }> => frame.t === type),
    disconnect(code, reason) {
      if (code === undefined) socket?.terminate();
      else socket?.close(code, reason);
    },
    useKey(newer) {
      key = newer;
    },
    fate: () => "heard",
    isSlow: false,
    acknowledge: (runId) => acknowledgeEvents(runId),
    refuseUploads: [],
    async [Symbol.asyncDispose]() {
      for (const client of channel.clients) client.terminate();
      channel.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await forge[Symbol.asyncDispose]();
    },
  };
  return panel;

  function connected(ws: WebSocket): void {
    ws.on("message", (data) => {
      const text = data instanceof Buffer ? data.toString() : "";
      const frame: WorkerFrame = JSON.parse(text);
      if (!Value.Check(workerFrames[frame.t], frame)) throw new Error(`the worker sent an invalid frame: ${text}`);
      if (frame.t === "hello") {
        socket = ws;
        connections++;
        received.push(frame);
        welcome(frame);
      } else if (ws === socket) take(ws, frame);
      happened();
    });
  }

  function take(ws: WebSocket, frame: WorkerFrame): void {
    const fate = panel.fate(frame);
    if (fate === "lost") return breakOff(ws);
    received.push(frame);
    const answer = write(frame);
    if (fate === "unanswered") return breakOff(ws);
    if (fate === "held") return;
    const answers = fate === "twice" ? [answer, write(frame)] : [answer];
    for (const response of answers) if (response !== null) ws.send(JSON.stringify(response));
  }

  /** Later frames of this connection are not read: frames arrive in order or not at all. */
  function breakOff(ws: WebSocket): void {
    socket = undefined;
    ws.terminate();
  }

  function welcome({ holding, worker_id }: Frame<"hello">): void {
    const mine = holding.map(({ run_id, epoch }) => ({ run_id, epoch, run: runOf(run_id) }));
    const isMine = ({ epoch, run }: (typeof mine)[number]) => run.epoch === epoch && run.state !== null;
    const bare = ({ run_id, epoch }: (typeof mine)[number]) => ({ run_id, epoch });
    panel.send({
      t: "welcome",
      worker_id: worker_id ?? "wrk_1",
      lease_s: 45,
      hb_s: options.heartbeatS ?? 10,
      outbox: 64,
      resume: mine
        .filter(isMine)
        .map((entry) => ({ ...bare(entry), events_upto: Math.max(0, ...entry.run.events.keys()) })),
      drop: mine.filter((entry) => !isMine(entry)).map((entry) => ({ ...bare(entry), reason: "superseded" })),
      enabled: true,
      generation: 1,
    });
  }

  /** Stores a frame; returns its response, if any. */
  function write(frame: WorkerFrame): PanelFrame | null {
    switch (frame.t) {
      case "accept":
        if (isLeased(frame)) runOf(frame.run_id).state = "accepted";
        return null;
      case "refuse":
        if (isLeased(frame)) runOf(frame.run_id).state = null;
        return null;
      case "state":
        return { t: "state_ack", mid: frame.mid, result: stated(frame) };
      case "events":
        for (const item of frame.items) runOf(frame.run_id).events.set(item.wseq, item);
        return panel.isSlow ? null : eventsAck(frame.run_id);
      case "checked":
        return { t: "checked_ack", check_id: frame.check_id };
      case "hello":
      case "hb":
      case "ack":
      case "reply":
        return null;
    }
  }

  function stated(frame: Frame<"state">): "ok" | "duplicate" | "rejected" {
    const run = runOf(frame.run_id);
    if (run.states.some(({ mid }) => mid === frame.mid)) return "duplicate";
    if (!isLeased(frame)) return "rejected";
    run.states.push(frame);
    run.state = frame.state;
    return "ok";
  }

  function isLeased({ run_id, epoch }: { readonly run_id: string; readonly epoch: number }): boolean {
    const run = runOf(run_id);
    return run.epoch === epoch && run.state !== null;
  }

  function eventsAck(runId: string): PanelFrame {
    const { epoch, events } = runOf(runId);
    return { t: "events_ack", run_id: runId, epoch, upto: Math.max(0, ...events.keys()) };
  }

  function acknowledgeEvents(runId: string): void {
    panel.send(eventsAck(runId));
  }

  async function upload(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const [, id, what, sha256] =
      /^\/api\/worker\/runs\/([^/]+)\/(bundle|artifacts)(?:\/(\w+))?/.exec(request.url ?? "") ?? [];
    const refused = what === "bundle" ? panel.refuseUploads.shift() : undefined;
    const digest = `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
    if (refused !== undefined)
      response.writeHead(refused, { "Content-Type": "application/problem+json" }).end('{"detail":"as asked"}');
    else if (request.headers.authorization !== `Bearer ${RUN_TOKEN}`) response.writeHead(401).end();
    else if (request.headers["content-digest"] !== digest) response.writeHead(400).end();
    else {
      if (what === "bundle") runOf(id).bundle = { bytes, digest };
      else runOf(id).artifacts.set(sha256, bytes.toString());
      response.writeHead(200).end("{}");
    }
    happened();
  }

  function runOf(id: string): PanelRun {
    const run = runs.get(id) ?? {
      epoch: 0,
      state: null,
      states: [],
      events: new Map(),
      bundle: null,
      artifacts: new Map(),
    };
    runs.set(id, run);
    return run;
  }

  function happened(): void {
    const waiting = [...watchers];
    watchers.clear();
    for (const wake of waiting) wake();
  }
}
