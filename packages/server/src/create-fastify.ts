/** The Fastify instance of a service: limits, timeouts, and the responses to unparseable requests. */
import { ServerResponse, type IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
  fastify,
  LogController,
  type FastifyInstance,
  type FastifyRequest,
  type onSendHookHandler,
  type RouteOptions,
} from "fastify";
import { answerClientErrors, answerErrors } from "./error-handler.ts";
import { refuseHosts } from "./host-check.ts";
import { toOriginForm } from "./path-of.ts";
import { Problem } from "./problem.ts";
import { requestId } from "./request-id.ts";
import type { ServerOptions } from "./server.ts";

/** Limits in bytes: URL, all headers, body. */
const URL_LIMIT = 8 * 1024;
const HEADERS_LIMIT = 32 * 1024;
const BODY_LIMIT = 256 * 1024;
/** Limit of Node's parser. It is higher than the other limits, so that oversized requests get a specific problem. */
const PARSER_LIMIT = 256 * 1024;
export const REQUEST_MS = 30_000;
/** Smaller responses are not compressed. */
export const COMPRESSION_THRESHOLD = 1024;
/** One year. Excludes subdomains, which may belong to someone else. */
const HSTS = "max-age=31536000";

/** Headers of every response. */
export function commonHeaders<Caller>({ publicUrl, headers, cors }: ServerOptions<Caller>): Record<string, string> {
  return {
    ...headers,
    ...(publicUrl?.startsWith("https:") && { "Strict-Transport-Security": HSTS }),
    ...(cors && {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": cors.exposedHeaders.join(", "),
    }),
  };
}

export function createFastify<Caller>(options: ServerOptions<Caller>, url: () => string): FastifyInstance {
  const headers = commonHeaders(options);
  const app = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    genReqId: requestId,
    requestIdHeader: false,
    rewriteUrl: ({ url = "/" }) => toOriginForm(url),
    ...(options.trustedProxies !== undefined && { trustProxy: [...options.trustedProxies] }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: Math.max(options.requestTimeoutMs ?? REQUEST_MS, options.uploadTimeoutMs ?? 0),
    keepAliveTimeout: 72_000,
    // Fastify's own 503 has neither the problem format nor the common headers: see `draining`.
    return503OnClosing: false,
    // Otherwise Node would reject a request without `Host` with its own message and without a request ID.
    http: {
      maxHeaderSize: PARSER_LIMIT,
      requireHostHeader: false,
      // The default of 30 s could double the timeout of a slow request.
      connectionsCheckingInterval: 5_000,
      // Without this, an upgrade listener would swallow the body of every request that offers another protocol, as Java
      // and `curl --http2` do.
      shouldUpgradeCallback: options.upgrades ?? (() => false),
    },
    routerOptions: { maxParamLength: PARSER_LIMIT },
    clientErrorHandler: answerClientErrors(url, { headers, extra: options.problemMembers }),
    // No hook has run yet, so the common headers are set here.
    frameworkErrors(error, request, reply) {
      reply.headers(headers);
      void answerErrors(url, { extra: options.problemMembers, localize: options.localizeProblem })(
        error,
        request,
        reply,
      );
    },
  }) as unknown as FastifyInstance;
  // Without a `connect` listener, Node drops the socket silently.
  app.server.on("connect", (request, socket) => answerOnSocket(app, request, socket));
  // Node would answer an unknown expectation with an empty 417; servers may ignore expectations (RFC 9110, 10.1.1).
  app.server.on("checkExpectation", (request, response) => app.routing(request, response));
  return app;
}

/** Throws for requests that must not reach a route: too large, without a host, or for another host. */
export function createRequestCheck<Caller>(options: ServerOptions<Caller>): (request: FastifyRequest) => void {
  const refuseHost = refuseHosts(options.hosts, options.publicUrl);
  return (request) => {
    if (request.url.length > URL_LIMIT) throw new Problem("uri_too_long");
    if (headerBytes(request) > HEADERS_LIMIT) throw new Problem("headers_too_large");
    if (lacksHost(request)) throw new Problem("malformed_request", { detail: "HTTP/1.1 requires a `Host` header." });
    const refusal = refuseHost(request);
    if (refusal !== undefined) throw refusal;
  };
}

/**
 * Omits `Content-Length` of HEAD if GET may be compressed: the length of GET is then unknown, and none is better than a
 * wrong one.
 */
export function leaveLengthOpen(route: RouteOptions): void {
  if (route.method !== "HEAD") return;
  const omitLength: onSendHookHandler = ({ headers }, reply, payload, done) => {
    const packs = /gzip|br|\*/.test(headers["accept-encoding"] ?? "");
    if (packs && Number(reply.getHeader("content-length")) >= COMPRESSION_THRESHOLD)
      reply.removeHeader("content-length");
    done(null, payload);
  };
  // This hook runs last, because Fastify computes the length of the omitted body.
  route.onSend = [route.onSend ?? [], omitLength].flat();
}

function lacksHost({ headers, raw }: FastifyRequest): boolean {
  return headers.host === undefined && raw.httpVersion === "1.1";
}

function headerBytes({ raw }: FastifyRequest): number {
  let bytes = 0;
  for (const part of raw.rawHeaders ?? []) bytes += part.length;
  return bytes;
}

/** Routes a request that Node has detached from HTTP (a refused upgrade, a CONNECT) like any other. */
export function answerOnSocket(fastify: FastifyInstance, request: IncomingMessage, socket: Duplex): void {
  if (!(socket instanceof Socket)) return void socket.destroy();
  // Node no longer handles errors of this socket; without a listener, a client abort would crash the process.
  socket.on("error", () => {});
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on("finish", () => socket.end());
  fastify.routing(request, response);
}

/** A decision of 1 KB takes 0.02 ms; compressing it with Brotli would take ten times as long. */
const WORTH_BYTES = 16 * 1024;
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;

/** Skips compression if it costs more than it saves: for small responses and on loopback. */
export function skipCompression({ headers, socket }: Pick<FastifyRequest, "headers" | "socket">, bytes: number): void {
  // @fastify/compress treats this request header as opt-out.
  if (bytes < WORTH_BYTES || LOOPBACK.test(socket.remoteAddress ?? "")) headers["x-no-compression"] = "1";
}
