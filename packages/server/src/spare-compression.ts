/** Lets an answer leave as it is where to compress it would cost both sides more than the line saves: a small one, or one on loopback. */
import type { FastifyRequest } from "fastify";

/** A decision of 1 KB is written in 0.02 ms; Brotli alone takes ten times as long. */
const WORTH_BYTES = 16 * 1024;
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

export function spareCompression({ headers, socket }: Pick<FastifyRequest, "headers" | "socket">, bytes: number): void {
  // What @fastify/compress takes for the client's own wish.
  if (bytes < WORTH_BYTES || LOOPBACK.test(socket.remoteAddress ?? "")) headers["x-no-compression"] = "1";
}
