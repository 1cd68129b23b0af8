/** Routes a request that Node has detached from HTTP (a refused upgrade, a CONNECT) like any other. */
import { ServerResponse, type IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";

export function answerOnSocket(fastify: FastifyInstance, request: IncomingMessage, socket: Duplex): void {
  if (!(socket instanceof Socket)) return void socket.destroy();
  // Node no longer handles errors of this socket; without a listener a client abort would crash the process.
  socket.on("error", () => {});
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on("finish", () => socket.end());
  fastify.routing(request, response);
}
