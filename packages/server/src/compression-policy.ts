/** Skips compression if it costs more than it saves: for small responses and on loopback. */
import type { FastifyRequest } from "fastify";

/** A decision of 1 KB takes 0.02 ms; Brotli alone would take ten times as long. */
const WORTH_BYTES = 16 * 1024;
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

export function spareCompression({ headers, socket }: Pick<FastifyRequest, "headers" | "socket">, bytes: number): void {
  // @fastify/compress treats this request header as opt-out.
  if (bytes < WORTH_BYTES || LOOPBACK.test(socket.remoteAddress ?? "")) headers["x-no-compression"] = "1";
}
