/** Requests without a route: 404, 405 with `Allow`, preflight requests, and paths that the service handles itself. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { routePattern } from "./path-of.ts";
import { Problem } from "./problem.ts";
import type { RouteTable } from "./route-table.ts";

export interface UnknownRouteOptions {
  readonly routeTable: RouteTable;
  readonly cors: boolean;
  readonly elsewhere: ((request: FastifyRequest, reply: FastifyReply) => FastifyReply | null) | undefined;
  readonly answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

export function answerUnknownRoutes(app: FastifyInstance, options: UnknownRouteOptions): void {
  const { routeTable, cors, elsewhere, answerError } = options;
  const methodsOf = (request: FastifyRequest) => routeTable.methodsOf(routePattern(request.url));
  const allowed = (methods: readonly string[]) => [...methods, ...(cors ? ["OPTIONS"] : [])].join(", ");

  app.setErrorHandler((error, request, reply) => {
    // 404 takes precedence: the body of an unknown path is parsed too and may be invalid.
    const isOfBody = !(error instanceof Problem) || error.code === "invalid_json";
    const fault = request.is404 && !isRead(request) && isOfBody ? missOf(request) : error;
    return answerError(fault, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(request);
    const answered = methods.length === 0 && isRead(request) ? (elsewhere?.(request, reply) ?? null) : null;
    if (answered !== null) return answered;
    if (methods.length === 0 || !cors || request.method !== "OPTIONS") throw missOf(request);
    const allow = allowed(methods);
    const headers = {
      Allow: allow,
      "Access-Control-Allow-Methods": allow,
      "Access-Control-Allow-Headers": "*, Authorization, X-API-Key",
      "Access-Control-Max-Age": "86400",
    };
    return reply.code(204).headers(headers).send();
  });

  function missOf(request: FastifyRequest): Problem {
    const methods = methodsOf(request);
    if (methods.length === 0) return new Problem("not_found");
    const allow = allowed(methods);
    return new Problem("method_not_allowed", { detail: `This path allows ${allow}.`, headers: { Allow: allow } });
  }
}

function isRead({ method }: FastifyRequest): boolean {
  return method === "GET" || method === "HEAD";
}
