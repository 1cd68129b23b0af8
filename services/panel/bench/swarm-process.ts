/** Thousands of workers in one process: real sockets and frames, no work. Reports assignments and new keys to its parent. */
import { WORKER_SUBPROTOCOL } from "@triptych/contracts";
import { WebSocket } from "ws";
import type { SwarmRequest, SwarmMessage } from "./swarm.ts";

interface Member {
  readonly name: string;
  socket: WebSocket;
  workerId: string | null;
  /** Leased runs with their epochs. */
  readonly holding: Map<string, number>;
  isStalled: boolean;
}

const members: Member[] = [];
let target: Extract<SwarmRequest, { kind: "connect" }> | null = null;
let keeps = false;

const at = () => performance.timeOrigin + performance.now();
const report = (message: SwarmMessage) => void process.send?.(message);

process.on("message", (request: SwarmRequest) => {
  switch (request.kind) {
    case "connect":
      target = request;
      return void connectAll(request).then(() => report({ kind: "connected", count: members.length }));
    case "stall":
      for (const member of members.slice(0, request.count)) member.isStalled = true;
      return report({ kind: "stalled" });
    case "keep":
      keeps = request.keeps;
      return report({ kind: "stored" });
    case "holding":
      return report({ kind: "holding", runs: members.flatMap(({ holding }) => [...holding]) });
  }
});
process.on("disconnect", () => process.exit(0));

/** Limited by the system's backlog of new connections. */
const CONCURRENCY_MAX = 50;
const HEARTBEAT_MS = 10_000;

async function connectAll({ count, name }: Extract<SwarmRequest, { kind: "connect" }>): Promise<void> {
  let next = 0;
  const some = async () => {
    for (let index = next++; index < count; index = next++) await join(`${name}-${index}`);
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY_MAX, count) }, some));
  // Spread over the heartbeat interval, like real workers.
  let position = 0;
  setInterval(() => {
    const share = Math.ceil(members.length / 100);
    for (let sent = 0; sent < share; sent++) sendHeartbeat(members[position++ % members.length]);
  }, HEARTBEAT_MS / 100);
}

async function join(name: string): Promise<void> {
  const member: Member = { name, socket: dial(), workerId: null, holding: new Map(), isStalled: false };
  members.push(member);
  await serve(member);
}

function dial(): WebSocket {
  if (target === null) throw new Error("the panel's URL is missing");
  const { url, licenseKey } = target;
  return new WebSocket(`${url.replace(/^http/, "ws")}/api/worker/connect`, WORKER_SUBPROTOCOL, {
    headers: { Authorization: `Bearer ${licenseKey}` },
    perMessageDeflate: false,
  });
}

/** Resolves on welcome. Reconnects with its leased runs after a disconnect. */
function serve(member: Member): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = member;
    socket.on("open", () => {
      const holding = [...member.holding].map(([run_id, epoch]) => ({ run_id, epoch, spooled_to: 0 }));
      const agents = [{ cli: "command", version: "1", adapter: "command", models: [] }];
      const about = { name: member.name, version: "bench", slots: 1, isolation: "worktree", os: "linux" };
      send(member, { t: "hello", proto: 1, worker_id: member.workerId, ...about, agents, holding });
    });
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString());
      if (frame.t === "welcome") {
        member.workerId = frame.worker_id;
        resolve();
      } else handleFrame(member, frame);
    });
    socket.on("error", () => {});
    socket.on("close", () => void setTimeout(() => again(member), 50));
  });
}

function again(member: Member): void {
  member.socket = dial();
  void serve(member);
}

function handleFrame(member: Member, frame: Readonly<Record<string, unknown>>): void {
  const came = at();
  const { t, cid, run_id, epoch } = frame;
  if (cid !== undefined && !member.isStalled) send(member, { t: "ack", cid });
  if (t === "token_rotated") return reportRotated();
  if (t !== "assign") return;
  send(member, { t: "accept", run_id, epoch });
  if (keeps) member.holding.set(String(run_id), Number(epoch));
  else {
    const data = { code: "agent_error", message: "the swarm does no work" };
    send(member, { t: "state", mid: `${String(run_id)}-${String(epoch)}`, run_id, epoch, state: "failed", data });
  }
  report({ kind: "assigned", runId: String(run_id), epoch: Number(epoch), at: came });
}

/** One report per tick, after its acknowledgements: a thousand messages would distort the measurement. */
let rotated = 0;

function reportRotated(): void {
  rotated += 1;
  if (rotated > 1) return;
  setImmediate(() => {
    report({ kind: "rotated", count: rotated, at: at() });
    rotated = 0;
  });
}

function sendHeartbeat(member: Member): void {
  if (member.socket.readyState !== WebSocket.OPEN || member.isStalled) return;
  const holding = [...member.holding].map(([run_id, epoch]) => ({ run_id, epoch }));
  send(member, { t: "hb", holding, free_slots: 1 - holding.length, load: 0, disk_free_mb: 9000 });
}

function send({ socket }: Member, frame: object): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
}
