/**
 * The time that a body may take to arrive, where it is shorter than the server's own: a server that takes large uploads gives all its
 * requests a long time, and a client without credentials could hold each of them open that long.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "./problem.ts";

export interface BodyDeadline {
  readonly normalMs: number;
  readonly answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

export function enforceBodyDeadline(app: FastifyInstance, { normalMs, answerError }: BodyDeadline): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { headers, raw, routeOptions } = request;
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    if (hasBody) {
      const timer = setTimeout(() => {
        if (raw.complete || raw.destroyed) return;
        // What follows a response is read only to be thrown away.
        if (reply.sent) raw.destroy();
        else if (routeOptions.config.isUpload !== true)
          void answerError(new Problem("request_timeout", { headers: { Connection: "close" } }), request, reply);
      }, normalMs);
      raw.once("end", () => clearTimeout(timer));
      raw.once("close", () => clearTimeout(timer));
    }
    done();
  });
}
