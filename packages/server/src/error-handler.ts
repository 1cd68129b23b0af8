/**
 * Maps thrown values to responses: a Problem as it is, Fastify's errors by their code, everything else as `internal`.
 */
import type { Socket } from "node:net";
import type { ProblemBody, ProblemCode } from "@triptych/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { pathOf } from "./path-of.ts";
import { Problem, problemBody, type ProblemExtensions } from "./problem.ts";
import { newRequestId } from "./request-id.ts";

const FRAMEWORK_CODES: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: "payload_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "invalid_json",
  FST_ERR_CTP_EMPTY_JSON_BODY: "invalid_json",
  FST_ERR_BAD_URL: "not_found",
  FST_ERR_MAX_PARAM_LENGTH: "not_found",
};

/** Maps an error of the service to a problem for the caller; null for an internal error. */
export type MapError = (error: unknown) => Problem | null;

/** Translates the body into the language of the request. */
export type LocalizeProblem = (
  body: ProblemBody,
  request: FastifyRequest,
) => { readonly body: ProblemBody; readonly language: string };

export interface ErrorHandlerOptions {
  readonly localize?: LocalizeProblem | undefined;
  readonly translate?: MapError | undefined;
  readonly extra?: ProblemExtensions | undefined;
  /** Called with each problem that is sent. */
  readonly onProblem?: ((problem: Problem) => void) | undefined;
}

export function answerErrors(serviceUrl: () => string, options: ErrorHandlerOptions = {}) {
  const { translate = () => null, extra, localize, onProblem } = options;
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const translated = error instanceof Problem ? null : translate(error);
    const problem = translated ?? problemOf(error, request);
    // The client aborted the upload: not a server error.
    if (error === request.raw.errored) request.log.info("client aborted the request");
    else if (problem.status >= 500 && (problem.code === "internal" || translated !== null))
      request.log.error({ err: error }, "request failed");
    onProblem?.(problem);
    if (problem.code !== "request_timeout") drainBody(request, reply);
    return sendProblem(problem, { request, reply, serviceUrl: serviceUrl(), extra, localize });
  };
}

const READ_ON_BYTES = 64 * 1024 * 1024;

/**
 * Reads and discards the rest of the body, within limits. Closing the connection immediately, as Fastify does, would
 * reset it: a client that is still writing would never see the response.
 */
function drainBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return;
  reply.removeHeader("connection");
  let left = READ_ON_BYTES;
  raw.on("data", ({ length }: Buffer) => {
    left -= length;
    if (left < 0) raw.destroy();
  });
}

interface Edge {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly serviceUrl: string;
  readonly extra: ProblemExtensions | undefined;
  readonly localize: LocalizeProblem | undefined;
}

function sendProblem(problem: Problem, { request, reply, serviceUrl, extra, localize }: Edge): FastifyReply {
  const english = problemBody(problem, { serviceUrl, path: pathOf(request.url), requestId: request.id, extra });
  const { body, language } = localize?.(english, request) ?? { body: english, language: null };
  if (language !== null) reply.headers({ "Content-Language": language, Vary: withLanguage(reply.getHeader("vary")) });
  return reply
    .code(problem.status)
    .headers({ "X-Request-Id": request.id, "Cache-Control": "no-store", ...problem.headers })
    .header("Content-Type", "application/problem+json")
    .send(Buffer.from(JSON.stringify(body)));
}

function withLanguage(vary: unknown): string {
  return typeof vary === "string" && vary !== "" ? `${vary}, Accept-Language` : "Accept-Language";
}

function problemOf(error: unknown, { routeOptions }: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  const code = errorCode(error);
  const problemCode = code === undefined ? undefined : FRAMEWORK_CODES[code];
  if (problemCode === "payload_too_large")
    return new Problem(problemCode, {
      cause: error,
      detail: `The body exceeds the limit of ${routeOptions.bodyLimit} bytes for this path.`,
    });
  return new Problem(problemCode ?? "internal", { cause: error });
}

function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

interface ClientError {
  readonly code?: string;
}

export interface ClientErrorOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: ProblemExtensions | undefined;
}

/** Requests that Node's parser rejects never reach Fastify, so the problem is written directly to the socket. */
export function answerClientErrors(serviceUrl: () => string, { headers, extra }: ClientErrorOptions) {
  return (error: ClientError, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = newRequestId();
    const problem = clientProblem(error);
    const body = JSON.stringify(problemBody(problem, { serviceUrl: serviceUrl(), path: "/", requestId, extra }));
    const everyAnswer = { "Cache-Control": "no-store", ...headers };
    const ofService = Object.entries(everyAnswer).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `HTTP/1.1 ${problem.status} ${statusText(problem.status)}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `${ofService.join("")}X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}

function clientProblem({ code }: ClientError): Problem {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Problem("request_timeout");
    case "HPE_HEADER_OVERFLOW":
      return new Problem("headers_too_large");
    // Node's parser rejects raw UTF-8 in URLs; someone who typed an accent needs to know why.
    case "HPE_INVALID_URL":
      return new Problem("malformed_request", {
        detail:
          "The URL contains characters that must be percent-encoded, such as é as %C3%A9. With curl: -G --data-urlencode 'q=bibliothèque'.",
      });
    case undefined:
    default:
      return new Problem("malformed_request");
  }
}

/** Imported on demand: named imports of `node:http` load all of `fetch`, which takes a tenth of the startup time. */
function statusText(status: number): string {
  return process.getBuiltinModule("node:http").STATUS_CODES[status] ?? "";
}
