/** A span per request: route pattern and status. Never a path, query, header, body or caller. */
import { traceHeadersIn, type TraceSpan, type Tracing } from "@triptych/tracing";
import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** Null for requests that are not traced. */
    span: TraceSpan | null;
  }
}

const PROBES: ReadonlySet<string> = new Set(["/health", "/livez", "/readyz", "/metrics"]);

export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.decorateRequest("span", null);
  app.addHook("onRequest", (request, _reply, done) => {
    request.span = startSpan(tracing, request);
    if (request.span === null) done();
    else request.span.run(done);
  });
  // The events of a body come from the socket, outside the span.
  app.addHook("preValidation", ({ span }, _reply, done) => {
    if (span === null) done();
    else span.run(done);
  });
  app.addHook("onResponse", async ({ span }, { statusCode }) => {
    span?.set({ "http.response.status_code": statusCode });
    span?.end(statusCode >= 500 ? String(statusCode) : undefined);
  });
}

/** Calls between our services, such as heartbeats, start no trace of their own. */
function startSpan(tracing: Tracing, { headers, method, routeOptions }: FastifyRequest): TraceSpan | null {
  const route = routeOptions.config.template ?? routeOptions.url ?? "unknown";
  const parent = traceHeadersIn(headers);
  if (PROBES.has(route) || (parent === null && route.startsWith("/internal/"))) return null;
  return tracing.start({
    name: `${method} ${route}`,
    kind: "server",
    parent,
    attributes: { "http.request.method": method, "http.route": route },
  });
}
