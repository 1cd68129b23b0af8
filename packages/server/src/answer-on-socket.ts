/** A request that Node has taken out of HTTP (an upgrade that is refused, a CONNECT) is answered as any other: by the routes, with their problems. */
import { ServerResponse, type IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";

export function answerOnSocket(fastify: FastifyInstance, request: IncomingMessage, socket: Duplex): void {
  if (!(socket instanceof Socket)) return void socket.destroy();
  // Node has let go of it, so nobody else hears that its client has gone.
  socket.on("error", () => {});
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on("finish", () => socket.end());
  fastify.routing(request, response);
}
