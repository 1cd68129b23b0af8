/**
 * Authentication and rate limit of a request. Every admitted request counts in the minute window. It settles after the
 * response: items sent are billed once, the rest of the reservation is released.
 */
import {
  LIMIT_DEFAULT,
  LIMIT_MAX,
  directoryContract,
  getItem,
  getItems,
  type Endpoint,
  type ProblemCode,
} from "@triptych/contracts";
import { Problem, readCredentials, type Authenticate } from "@triptych/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Access, Admission, AdmittedRequest, ApiKeyOwner } from "../domain/access.ts";
import { PLANS } from "../domain/plans.ts";
import type { Caller, SendResult } from "./caller.ts";

const CARRIERS = directoryContract.credentials["key"] ?? [];

declare module "fastify" {
  interface FastifyRequest {
    /**
     * Writes the quota headers once the response's content is known. An object, because with a function among its
     * properties a tenth of all request allocations survive until the next full collection.
     */
    rateLimitHeaders: { write(): void } | null;
  }
}

/** Writes the quota headers when the response is sent, so that problems have them too. */
export function writeRateLimitHeaders(app: FastifyInstance): void {
  app.decorateRequest("rateLimitHeaders", null);
  app.addHook("onSend", (request, _reply, payload, done) => {
    request.rateLimitHeaders?.write();
    done(null, payload);
  });
}

export function createAuthenticate(access: Access): Authenticate<Caller> {
  return (request, reply, endpoint) => {
    const holder = keyHolder(access, request);
    const requested = requestedItems(request, endpoint);
    const arrival = { request, reply, endpoint, holder, requested };
    const admission = access.enter(holder, request.method === "HEAD" ? 0 : requested);
    return admission instanceof Promise
      ? admission.then((resolved) => enter(arrival, resolved))
      : enter(arrival, admission);
  };
}

function keyHolder(access: Access, request: FastifyRequest): ApiKeyOwner {
  const presented = readCredentials(request, CARRIERS);
  if (presented.length > 1) throw new Problem("ambiguous_key");
  if (presented.length === 0)
    throw new Problem("key_required", { headers: { "WWW-Authenticate": 'Bearer realm="directory"' } });
  const verdict = access.verify(presented[0]);
  if (verdict.state === "valid") return verdict.holder;

  const code: ProblemCode = `key_${verdict.state}`;
  throw new Problem(code, { headers: { "WWW-Authenticate": 'Bearer realm="directory", error="invalid_token"' } });
}

/**
 * Items that the response may contain, read before validation because the quota is checked first. An invalid `limit`
 * counts as 0; that request ends with 400.
 */
function requestedItems(request: FastifyRequest, endpoint: Endpoint): number {
  if (endpoint.id === getItem.id) return 1;
  if (endpoint.id !== getItems.id) return 0;
  const { limit } = request.query as Readonly<Record<string, unknown>>;
  if (limit === undefined) return LIMIT_DEFAULT;
  if (limit === "all") return Number.POSITIVE_INFINITY;
  const count = Number(limit);
  return Number.isInteger(count) && count >= 0 && count <= LIMIT_MAX ? count : 0;
}

interface Arrival {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly endpoint: Endpoint;
  readonly holder: ApiKeyOwner;
  readonly requested: number;
}

function enter(arrival: Arrival, admission: Admission): Caller {
  switch (admission.verdict) {
    case "overloaded":
      throw new Problem("overloaded", { headers: { "Retry-After": String(admission.retryAfter) } });
    case "rate_limited":
      throw new Problem("rate_limited", {
        detail: `The key has sent ${PLANS[arrival.holder.plan].requestsPerMinute} requests in the last 60 seconds. Wait ${admission.retryAfter} s.`,
        members: { "violated-policies": ["minute"] },
        headers: { ...admission.fields, "Retry-After": String(admission.retryAfter) },
      });
    case "entered":
      return enteredCaller(arrival, admission.entry);
  }
}

function enteredCaller({ request, reply, endpoint, holder, requested }: Arrival, entry: AdmittedRequest): Caller {
  let sent: SendResult = { items: 0, geo: false };
  // Injected test requests have no socket.
  const written = () => request.raw.socket.bytesWritten || 0;
  const before = written();
  const counted = () => (reply.statusCode === 200 ? sent.items : 0);
  const expectedItems = () => (reply.statusCode === 200 ? (sent.expected ?? sent.items) : 0);
  let settled = false;
  const settle = (items: number): void => {
    if (settled) return;
    settled = true;
    const bytes = contentLength(reply) ?? written() - before;
    const outcome = {
      requestId: request.id,
      route: endpoint.path,
      status: reply.statusCode,
      items,
      bytes,
      geo: sent.geo,
    };
    entry.settle(outcome).catch((error: unknown) => request.log.error({ err: error }, "recording usage failed"));
  };
  // `finish`: everything was sent. Only `close`: the client disconnected, so only what a stream sent counts.
  reply.raw.on("finish", () => settle(counted()));
  reply.raw.on("close", () => settle(sent.partial === true ? counted() : 0));
  request.rateLimitHeaders = { write: () => void reply.headers(entry.fields(expectedItems())) };

  const caller: Caller = {
    holder,
    entry,
    plan: PLANS[holder.plan],
    // HEAD sends no items, so it reserves none. Its headers describe the page without the quota.
    granted: request.method === "HEAD" ? requested : entry.granted,
    refuseExhausted() {
      if (entry.exhaustedFor === null) return;
      sent = { items: 0, geo: false };
      throw new Problem("quota_exceeded", {
        detail: "The key has used its daily quota of items. The quota resets at midnight UTC.",
        members: { "violated-policies": ["items-day"] },
        headers: { "Retry-After": String(entry.exhaustedFor) },
      });
    },
    note(now) {
      sent = now;
    },
  };
  const mayCostNothing = request.headers["if-none-match"] !== undefined;
  if (!mayCostNothing) caller.refuseExhausted();
  return caller;
}

function contentLength(reply: FastifyReply): number | null {
  const length = reply.raw.getHeader("content-length");
  return length === undefined ? null : Number(length);
}
