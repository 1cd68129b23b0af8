/**
 * Creates the Fastify server of a service, with the conventions common to all services.
 *
 * Request lifecycle: path (404) -> method (405) -> credential and rate limit (`identify`) -> syntax and validation
 * (400) -> handler (existence, plan, state, effect). A request rejected at one step never reaches the next.
 */
import { constants } from "node:zlib";
import compress from "@fastify/compress";
import {
  fastify,
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onSendHookHandler,
  type RouteOptions,
} from "fastify";
import { answerErrors, answerClientErrors } from "./error-handler.ts";
import { answerOnSocket } from "./connect-handler.ts";
import { enforceBodyDeadline } from "./body-deadline.ts";
import { limitConnections, type ConnectionLimits } from "./connections.ts";
import { refuseHosts } from "./host-check.ts";
import { parseJsonBodies } from "./json-bodies.ts";
import { RouteTable } from "./route-table.ts";
import { createMetrics } from "./metrics.ts";
import { registerRoute } from "./mount.ts";
import { registerSystemRoutes } from "./system-routes.ts";
import { sharedAssets } from "./pages/static-assets.ts";
import { Problem } from "./problem.ts";
import { toOriginForm, routePattern } from "./path-of.ts";
import { requestId } from "./request-id.ts";
import type { Server, ServerOptions } from "./server.ts";

/** Limits in bytes: URL, all headers, body. */
const URL_LIMIT = 8 * 1024;
const HEADERS_LIMIT = 32 * 1024;
const BODY_LIMIT = 256 * 1024;
/** Limit of Node's parser. Above both other limits, so that oversized requests still get their own problem. */
const PARSER_LIMIT = 256 * 1024;
const REQUEST_MS = 30_000;
const CONNECTIONS: ConnectionLimits = { max: 2_000, maxPerAddress: 500 };
/** One year, without subdomains, which may belong to someone else. */
const HSTS = "max-age=31536000";
const STOP_MS = 10_000;

/** At these qualities a core still compresses faster than a network sends. */
const COMPRESSION = {
  globalDecompression: false,
  threshold: 1024,
  encodings: ["br", "gzip"] as ("br" | "gzip")[],
  customTypes: /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|x-ndjson|javascript)|image\/svg)/,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  zlibOptions: { level: 6 },
};

export async function createServer<Caller>(options: ServerOptions<Caller>): Promise<Server<Caller>> {
  const { contract, logger, requestTimeoutMs = REQUEST_MS } = options;
  let url = options.publicUrl?.replace(/\/+$/, "") ?? "http://127.0.0.1";
  const routeTable = new RouteTable();
  const metrics = createMetrics(contract.name, { ofProcess: options.ofProcess ?? false });
  const everyAnswer = {
    ...options.headers,
    ...(url.startsWith("https:") && { "Strict-Transport-Security": HSTS }),
    ...(options.cors && {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": options.cors.exposedHeaders.join(", "),
    }),
  };
  // Lower-cased once: Fastify would otherwise normalize every header on every reply.
  const everyReply = Object.fromEntries(
    Object.entries(everyAnswer).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    genReqId: requestId,
    requestIdHeader: false,
    rewriteUrl: ({ url = "/" }) => toOriginForm(url),
    ...(options.trustedProxies !== undefined && { trustProxy: [...options.trustedProxies] }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: Math.max(requestTimeoutMs, options.uploadTimeoutMs ?? 0),
    keepAliveTimeout: 72_000,
    // Fastify's own 503 lacks our problem format and headers: see `draining`.
    return503OnClosing: false,
    // Node would reject a request without `Host` with its own message and no request ID.
    http: {
      maxHeaderSize: PARSER_LIMIT,
      requireHostHeader: false,
      // The default interval of 30 s would double the timeout of a slow request.
      connectionsCheckingInterval: 5_000,
      // Without this, one upgrade listener takes the body of every request that offers another protocol, as Java and
      // `curl --http2` do.
      shouldUpgradeCallback: options.upgrades ?? (() => false),
    },
    routerOptions: { maxParamLength: PARSER_LIMIT },
    clientErrorHandler: answerClientErrors(() => url, { headers: everyAnswer, extra: options.problemMembers }),
    // No hook has run yet, so the common headers are set here.
    frameworkErrors(error, request, reply) {
      reply.headers(everyReply);
      void answerErrors(() => url, { extra: options.problemMembers })(error, request, reply);
    },
  }) as unknown as FastifyInstance;

  const { trustedProxies = [], connections } = options;
  limitConnections(app.server, { ...CONNECTIONS, ...connections, trustedProxies, metrics });
  // Without a `connect` listener, Node drops the socket silently.
  app.server.on("connect", (request, socket) => answerOnSocket(app, request, socket));
  // Node would answer an unknown expectation with an empty 417; servers may ignore expectations (RFC 9110, 10.1.1).
  app.server.on("checkExpectation", (request, response) => app.routing(request, response));
  app.decorateRequest("caller", null);
  app.decorateRequest("bodyBytes", null);
  const answerError = answerErrors(() => url, { translate: options.translate, extra: options.problemMembers });
  app.setErrorHandler((error, request, reply) => {
    // 404 takes precedence: the body of an unknown path is parsed too and may be invalid.
    const isOfBody = !(error instanceof Problem) || error.code === "invalid_json";
    const fault = request.is404 && !isRead(request) && isOfBody ? missOf(request) : error;
    return answerError(fault, request, reply);
  });
  app.setNotFoundHandler((request, reply) => answerMiss(request, reply));
  parseJsonBodies(app);
  await app.register(compress, COMPRESSION);
  app.addHook("onRoute", leaveLengthOpen);
  let stopping: Promise<void> | null = null;
  const refuseHost = refuseHosts(options.hosts, options.publicUrl);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id).headers(everyReply);
    if (stopping !== null) throw new Problem("draining", { headers: { "Retry-After": "1", Connection: "close" } });
    if (request.url.length > URL_LIMIT) throw new Problem("uri_too_long");
    if (headerBytes(request) > HEADERS_LIMIT) throw new Problem("headers_too_large");
    if (lacksHost(request)) throw new Problem("malformed_request", { detail: "HTTP/1.1 requires a `Host` header." });
    const refusal = refuseHost(request);
    if (refusal !== undefined) throw refusal;
  });
  if (options.uploadTimeoutMs !== undefined) enforceBodyDeadline(app, { normalMs: requestTimeoutMs, answerError });
  app.addHook("onResponse", async (request, reply) => {
    const { config, url: routed } = request.routeOptions;
    const route = config.template ?? routed ?? "unknown";
    const { method } = request;
    metrics.observe({ route, method, status: reply.statusCode, seconds: reply.elapsedTime / 1000 });
    const duration = Math.round(reply.elapsedTime * 1000) / 1000;
    const fields = { route, method, status: reply.statusCode, duration_ms: duration };
    request.log[requestLevel(route, reply.statusCode)](fields, "request");
  });

  function answerMiss(request: FastifyRequest, reply: FastifyReply): unknown {
    const methods = routeTable.methodsOf(routePattern(request.url));
    if (methods.length === 0) {
      const answered = isRead(request) ? (options.elsewhere?.(request, reply) ?? null) : null;
      if (answered === null) throw missOf(request);
      return answered;
    }
    if (options.cors && request.method === "OPTIONS") {
      const allow = allowed(methods);
      const headers = {
        Allow: allow,
        "Access-Control-Allow-Methods": allow,
        "Access-Control-Allow-Headers": "*, Authorization, X-API-Key",
        "Access-Control-Max-Age": "86400",
      };
      return reply.code(204).headers(headers).send();
    }
    throw missOf(request);
  }

  function missOf(request: FastifyRequest): Problem {
    const methods = routeTable.methodsOf(routePattern(request.url));
    if (methods.length === 0) return new Problem("not_found");
    const allow = allowed(methods);
    return new Problem("method_not_allowed", { detail: `This path allows ${allow}.`, headers: { Allow: allow } });
  }

  function allowed(methods: readonly string[]): string {
    return [...methods, ...(options.cors ? ["OPTIONS"] : [])].join(", ");
  }

  const server: Server<Caller> = {
    fastify: app,
    metrics,
    contract,
    url: () => url,
    mount: (endpoint, handler) =>
      registerRoute({
        app,
        routeTable,
        endpoint,
        handler,
        identify: options.identify,
        admitAnonymous: options.admitAnonymous,
      }),
    mountDocument(path, answer) {
      routeTable.add("GET", path, new Map());
      app.get(path.replaceAll(/\{(\w+)\}/g, ":$1"), answer);
    },
    async listen({ host, port, reusePort }) {
      try {
        await app.listen({ host, port, ...(reusePort && { reusePort }) });
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        const remedy = `Stop the process that uses this port, or set another HOST or ${contract.name.toUpperCase()}_PORT.`;
        throw new Error(`The ${contract.name} cannot listen (${why}). ${remedy}`, { cause });
      }
      const address = app.server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      if (options.publicUrl === undefined) url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
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

const PROBES: ReadonlySet<string> = new Set(["/health", "/livez", "/readyz", "/metrics"]);

/** Successful probes and calls between our services are frequent and expected. */
function requestLevel(route: string, status: number): "debug" | "info" {
  const isExpected = status < 400 && (PROBES.has(route) || route.startsWith("/internal/"));
  return isExpected ? "debug" : "info";
}

/**
 * HEAD is not compressed while GET may be. The length of GET is then unknown, and no length is better than a wrong
 * one.
 */
function leaveLengthOpen(route: RouteOptions): void {
  if (route.method !== "HEAD") return;
  const omitLength: onSendHookHandler = ({ headers }, reply, payload, done) => {
    const packs = /gzip|br|\*/.test(headers["accept-encoding"] ?? "");
    if (packs && Number(reply.getHeader("content-length")) >= COMPRESSION.threshold)
      reply.removeHeader("content-length");
    done(null, payload);
  };
  // Last, because Fastify computes the length of the omitted body.
  route.onSend = [route.onSend ?? [], omitLength].flat();
}

function isRead({ method }: FastifyRequest): boolean {
  return method === "GET" || method === "HEAD";
}

function lacksHost({ headers, raw }: FastifyRequest): boolean {
  return headers.host === undefined && raw.httpVersion === "1.1";
}

function headerBytes({ raw }: FastifyRequest): number {
  let bytes = 0;
  for (const part of raw.rawHeaders ?? []) bytes += part.length;
  return bytes;
}

/** Cuts connections still in flight after the timeout: a client that never reads must not block the shutdown. */
async function stopServer(app: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), STOP_MS);
  await app.close();
  clearTimeout(cut);
}
