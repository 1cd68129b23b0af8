/**
 * Creates the Fastify server of a service, with the conventions that all services share. Request lifecycle: path (404)
 * -> method (405) -> credential and rate limit (`identify`) -> syntax and validation (400) -> handler (existence, plan,
 * state, effect). A request rejected at one step never reaches the next.
 */
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import type { FastifyInstance } from "fastify";
import { enforceBodyDeadline } from "./body-deadline.ts";
import { limitConnections, type ConnectionLimits } from "./connections.ts";
import {
  commonHeaders,
  COMPRESSION_THRESHOLD,
  createFastify,
  createRequestCheck,
  leaveLengthOpen,
  REQUEST_MS,
} from "./create-fastify.ts";
import { answerErrors } from "./error-handler.ts";
import { parseJsonBodies } from "./json-bodies.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { registerRoute } from "./mount.ts";
import { sharedAssets } from "./pages/page-assets.ts";
import { Problem } from "./problem.ts";
import { RouteTable } from "./unknown-routes.ts";
import type { Server, ServerOptions } from "./server.ts";
import { registerSystemRoutes } from "./system-routes.ts";
import { traceRequests } from "./trace-requests.ts";
import { answerUnknownRoutes } from "./unknown-routes.ts";

const CONNECTIONS: ConnectionLimits = { max: 2_000, maxPerAddress: 500 };
const STOP_MS = 10_000;

/** At these levels, one core still compresses faster than a network can send. */
const COMPRESSION = {
  globalDecompression: false,
  threshold: COMPRESSION_THRESHOLD,
  encodings: ["br", "gzip"] as ("br" | "gzip")[],
  customTypes: /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|x-ndjson|javascript)|image\/svg)/,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  zlibOptions: { level: 6 },
};

export async function createServer<Caller>(options: ServerOptions<Caller>): Promise<Server<Caller>> {
  const { contract, requestTimeoutMs = REQUEST_MS } = options;
  let url = options.publicUrl?.replace(/\/+$/, "") ?? "http://127.0.0.1";
  let stopping: Promise<void> | null = null;
  const routeTable = new RouteTable();
  const metrics = createMetrics(contract.name, { ofProcess: options.ofProcess ?? false });
  const { trustedProxies = [], connections } = options;
  const app = createFastify(options, () => url);
  limitConnections(app.server, { ...CONNECTIONS, ...connections, trustedProxies, metrics });
  app.decorateRequest("caller", null);
  app.decorateRequest("bodyBytes", null);
  const { translate, problemMembers: extra, localizeProblem: localize, onProblem } = options;
  const answerError = answerErrors(() => url, { translate, extra, localize, onProblem });
  if (options.tracing != null) traceRequests(app, options.tracing);
  answerUnknownRoutes(app, { routeTable, answerError, cors: options.cors !== undefined, elsewhere: options.elsewhere });
  parseJsonBodies(app);
  await app.register(compress, COMPRESSION);
  app.addHook("onRoute", leaveLengthOpen);
  const checkRequest = createRequestCheck(options);
  // Lower-cased once: Fastify would otherwise normalize every header on every reply.
  const headers = Object.fromEntries(
    Object.entries(commonHeaders(options)).map(([name, value]) => [name.toLowerCase(), value]),
  );
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id).headers(headers);
    if (stopping !== null) throw new Problem("draining", { headers: { "Retry-After": "1", Connection: "close" } });
    checkRequest(request);
  });
  if (options.uploadTimeoutMs !== undefined) enforceBodyDeadline(app, { normalMs: requestTimeoutMs, answerError });
  recordResponses(app, metrics);

  const server: Server<Caller> = {
    fastify: app,
    metrics,
    contract,
    url: () => url,
    mount: (endpoint, handler) => {
      const { identify, admitAnonymous } = options;
      registerRoute({ app, routeTable, endpoint, handler, identify, admitAnonymous });
    },
    mountDocument(path, answer) {
      routeTable.add("GET", path, new Map());
      app.get(path.replaceAll(/\{(\w+)\}/g, ":$1"), answer);
    },
    async listen(address) {
      const port = await listen(app, contract.name, address);
      const { host } = address;
      if (options.publicUrl === undefined) url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
      return url;
    },
    stop() {
      stopping ??= stopServer(app);
      return stopping;
    },
  };
  registerSystemRoutes(server, options, await sharedAssets());
  return server;
}

async function listen(app: FastifyInstance, name: string, address: ListenAddress): Promise<number> {
  const { host, port, reusePort } = address;
  try {
    await app.listen({ host, port, ...(reusePort && { reusePort }) });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const remedy = `Stop the process that uses this port, or set another HOST or ${name.toUpperCase()}_PORT.`;
    throw new Error(`The ${name} cannot listen (${why}). ${remedy}`, { cause });
  }
  const bound = app.server.address();
  return typeof bound === "object" && bound !== null ? bound.port : port;
}

type ListenAddress = Parameters<Server<unknown>["listen"]>[0];

function recordResponses(app: FastifyInstance, metrics: Metrics): void {
  app.addHook("onResponse", async (request, reply) => {
    const { config, url: routed } = request.routeOptions;
    const route = config.template ?? routed ?? "unknown";
    const { method } = request;
    metrics.observe({ route, method, status: reply.statusCode, seconds: reply.elapsedTime / 1000 });
    const duration = Math.round(reply.elapsedTime * 1000) / 1000;
    const fields = { route, method, status: reply.statusCode, duration_ms: duration };
    request.log[requestLevel(route, reply.statusCode)](fields, "request");
  });
}

const PROBES: ReadonlySet<string> = new Set(["/health", "/livez", "/readyz", "/metrics"]);

/** Successful probes and calls between services are frequent and expected, so they are logged at `debug`. */
function requestLevel(route: string, status: number): "debug" | "info" {
  const isExpected = status < 400 && (PROBES.has(route) || route.startsWith("/internal/"));
  return isExpected ? "debug" : "info";
}

/** Closes connections that are still open after the timeout: a client that never reads must not block the shutdown. */
async function stopServer(app: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), STOP_MS);
  await app.close();
  clearTimeout(cut);
}
