/**
 * Authentication and rate limit of a request. Every admitted request counts in the minute window. It settles after the
 * response: items sent are billed once, the rest of the reservation is released.
 */
import {
  IDS_MAX,
  LIMIT_DEFAULT,
  LIMIT_MAX,
  directoryContract,
  getItem,
  getItems,
  type Endpoint,
  type ProblemCode,
} from "@triptych/contracts";
import { Problem, readCredentials, type Authenticate } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Access, AdmittedRequest, ApiKeyOwner } from "../domain/access.ts";
import { PLANS } from "../domain/plans.ts";
import type { DirectoryMetrics } from "../metrics.ts";
import type { Caller, SentItems } from "./caller.ts";

const CARRIERS = directoryContract.credentials["key"] ?? [];

/** The quota headers count no items until the handler adds those that it sends, because problems have these headers too. */
export function createAuthenticate(
  access: Access,
  metrics: Pick<DirectoryMetrics, "itemsServed">,
): Authenticate<Caller> {
  return async (request, reply, endpoint) => {
    const holder = keyHolder(access, request);
    const requested = requestedItems(request, endpoint);
    const admission = await access.enter(holder, request.method === "HEAD" ? 0 : requested);
    switch (admission.verdict) {
      case "overloaded":
        throw new Problem("overloaded", { headers: { "Retry-After": String(admission.retryAfter) } });
      case "rate_limited":
        throw new Problem("rate_limited", {
          detail: `The key has sent ${PLANS[holder.plan].requestsPerMinute} requests in the last 60 seconds. Wait ${admission.retryAfter} s.`,
          members: { "violated-policies": ["minute"] },
          headers: { ...admission.fields, "Retry-After": String(admission.retryAfter) },
        });
      case "entered": {
        const { entry } = admission;
        reply.headers(entry.fields(0));
        const plan = PLANS[holder.plan];
        const count = ({ format, items }: SentItems) => metrics.itemsServed({ plan: plan.id, format, items });
        const record = settleAfterwards(request, reply, { endpoint, entry, count });
        // HEAD sends no items, so it reserves none. Its headers describe the page without the quota.
        const granted = request.method === "HEAD" ? requested : entry.granted;
        return { holder, entry, plan, granted, requireQuota: () => requireQuota(entry), record };
      }
    }
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
 * Items that the response may contain, read before validation because window and reservation are one statement. An
 * invalid `limit` counts as 0; that request ends with 400.
 */
function requestedItems(request: FastifyRequest, endpoint: Endpoint): number {
  if (endpoint.id === getItem.id) return 1;
  if (endpoint.id !== getItems.id) return 0;
  const { limit, ids } = request.query as Readonly<Record<string, unknown>>;
  if (limit === undefined && ids === undefined) return LIMIT_DEFAULT;
  if (limit === undefined) return Math.min(IDS_MAX, [ids].flat().map(String).join(",").split(",").length);
  if (limit === "all") return Number.POSITIVE_INFINITY;
  const count = Number(limit);
  return Number.isInteger(count) && count >= 0 && count <= LIMIT_MAX ? count : 0;
}

function requireQuota({ exhaustedFor }: AdmittedRequest): void {
  if (exhaustedFor === null) return;
  throw new Problem("quota_exceeded", {
    detail: "The key has used its daily quota of items. The quota resets at midnight UTC.",
    members: { "violated-policies": ["items-day"] },
    headers: { "Retry-After": String(exhaustedFor) },
  });
}

/**
 * A response is billed when it has ended, and only its handler knows its content: what the handler recorded last is
 * read then.
 */
function settleAfterwards(
  request: FastifyRequest,
  reply: FastifyReply,
  { endpoint, entry, count }: { endpoint: Endpoint; entry: AdmittedRequest; count: (sent: SentItems) => void },
): Caller["record"] {
  let sent: SentItems = { items: 0, format: "json", geo: false };
  let settled = false;
  // Injected test requests have no socket.
  const written = () => request.raw.socket.bytesWritten || 0;
  const before = written();
  const settle = (isComplete: boolean): void => {
    if (settled) return;
    settled = true;
    const isBilled = reply.statusCode === 200 && (isComplete || sent.partial === true);
    if (isBilled) count(sent);
    const outcome = {
      requestId: request.id,
      route: endpoint.path,
      status: reply.statusCode,
      items: isBilled ? sent.items : 0,
      bytes: contentLength(reply) ?? written() - before,
      geo: reply.statusCode < 400 && sent.geo,
    };
    entry.settle(outcome).catch((error: unknown) => request.log.error({ err: error }, "recording usage failed"));
  };
  // `finish`: everything was sent. Only `close`: the client disconnected.
  reply.raw.on("finish", () => settle(true));
  reply.raw.on("close", () => settle(false));
  return (now) => {
    sent = now;
  };
}

function contentLength(reply: FastifyReply): number | null {
  const length = reply.raw.getHeader("content-length");
  return length === undefined ? null : Number(length);
}
