/** Upgrades HTTP requests to the channel. Other requests go to the routes, which answer with problems. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { FRAME_BYTES_MAX, WORKER_SUBPROTOCOL, connectWorker } from "@triptych/contracts";
import { answerOnSocket } from "@triptych/server";
import type { FastifyInstance } from "fastify";
import { WebSocketServer, type WebSocket } from "ws";
import type { WorkerCredentials } from "./handshake.ts";

export interface UpgradeContext {
  readonly admit: (licenseKey: string) => Promise<WorkerCredentials | null>;
  readonly opened: (pass: WorkerCredentials, socket: WebSocket) => void;
  readonly onError: (error: unknown, what: string) => void;
}

/** Higher than the frame limit, so that a slightly oversized frame gets our close code. */
const PARSED_BYTES_MAX = 4 * FRAME_BYTES_MAX;
const BEARER = /^bearer +(\S+) *$/i;

/** Matches the channel's path and upgrade header only; authentication follows. */
export function isChannelRequest({ method, url, headers }: IncomingMessage): boolean {
  const offered = headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim()) ?? [];
  const isWebSocket = headers.upgrade?.toLowerCase() === "websocket" && offered.includes(WORKER_SUBPROTOCOL);
  return method === "GET" && url?.split("?")[0] === connectWorker.path && isWebSocket;
}

export function upgradeOn(fastify: FastifyInstance, { admit, opened, onError }: UpgradeContext): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: PARSED_BYTES_MAX,
    handleProtocols: () => WORKER_SUBPROTOCOL,
  });
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Between the upgrade and its response, the socket has no other error listener.
    const ignore = () => {};
    socket.on("error", ignore);
    const answer = async () => {
      const pass = await passOf(request);
      if (socket.destroyed) return;
      if (pass === null) return answerOnSocket(fastify, request, socket);
      socket.off("error", ignore);
      sockets.handleUpgrade(request, socket, head, (opening) => opened(pass, opening));
    };
    answer().catch((error: unknown) => {
      onError(error, "WebSocket upgrade failed");
      socket.destroy();
    });
  };
  fastify.server.on("upgrade", upgrade);
  return () => fastify.server.off("upgrade", upgrade);

  async function passOf({ headers }: IncomingMessage): Promise<WorkerCredentials | null> {
    const key = BEARER.exec(headers.authorization ?? "")?.[1];
    return key === undefined ? null : admit(key);
  }
}
