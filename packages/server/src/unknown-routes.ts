/** Requests without a route: 404, 405 with `Allow`, preflight requests, and paths that the service handles itself. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { routePattern } from "./path-of.ts";
import { Problem } from "./problem.ts";

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
    // 404 takes precedence over body errors: the body of an unknown path is parsed too and may be invalid.
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

/** The methods of each path, which decide whether a request without a route gets 405 with `Allow`, or 404. */
export class RouteTable {
  readonly #paths: { readonly pattern: RegExp; readonly methods: Set<string> }[] = [];

  /** @param path OpenAPI template; a parameter with listed values matches only those values. */
  add(method: string, path: string, listed: ReadonlyMap<string, readonly string[]>): void {
    const source = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `(?:${listed.get(name)?.join("|") ?? "[^/]+"})`);
    const pattern = new RegExp(`^${source}$`);
    const existing = this.#paths.find((entry) => entry.pattern.source === pattern.source);
    const methods = existing?.methods ?? new Set<string>();
    methods.add(method);
    if (method === "GET") methods.add("HEAD");
    if (!existing) this.#paths.push({ pattern, methods });
  }

  methodsOf(path: string): readonly string[] {
    return this.#paths.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]);
  }
}
