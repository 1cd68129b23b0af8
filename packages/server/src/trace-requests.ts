/** One span per request, with the route pattern and status, but never a path, query, header, body or caller. */
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
  // Body events come from the socket, outside the span, so the span is entered again here.
  app.addHook("preValidation", ({ span }, _reply, done) => {
    if (span === null) done();
    else span.run(done);
  });
  app.addHook("onResponse", async ({ span }, { statusCode }) => {
    span?.set({ "http.response.status_code": statusCode });
    span?.end(statusCode >= 500 ? String(statusCode) : undefined);
  });
}

/** Calls between services, such as heartbeats, do not start a new trace. */
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
