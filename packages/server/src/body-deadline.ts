/**
 * Body timeout for ordinary requests on a server that accepts large uploads. Without it, an unauthenticated client
 * could keep any request open for as long as an upload may take.
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
        // The response has been sent, so the rest of the body would only be discarded.
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
