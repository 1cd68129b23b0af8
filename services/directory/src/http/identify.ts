/**
 * The credential and rate-limit steps of a request. Whoever is admitted counts in the minute window whatever the answer, and is
 * settled when the answer has left: what was really sent is billed, once, and what was not sent is given back.
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
import { Problem, presentedCredentials, type Identify } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Access, Entry, KeyHolder } from "../domain/access.ts";
import { PLANS } from "../domain/plans.ts";
import type { Caller, Sent } from "./caller.ts";

const CARRIERS = directoryContract.credentials["key"] ?? [];

export function identifyWith(access: Access): Identify<Caller> {
  return async (request, reply, endpoint) => {
    const holder = keyHolder(access, request);
    const wanted = wantedItems(request, endpoint);
    const admission = await access.enter(holder, wanted);
    switch (admission.verdict) {
      case "overloaded":
        throw new Problem("overloaded", { headers: { "Retry-After": String(admission.retryAfter) } });
      case "rate_limited":
        throw new Problem("rate_limited", {
          detail: `The key has sent ${PLANS[holder.plan].requestsPerMinute} requests in the last 60 seconds. Wait ${admission.retryAfter} s.`,
          members: { "violated-policies": ["minute"] },
          headers: { ...admission.fields, "Retry-After": String(admission.retryAfter) },
        });
      case "entered":
        return enteredCaller({ request, reply, holder, entry: admission.entry });
    }
  };
}

function keyHolder(access: Access, request: FastifyRequest): KeyHolder {
  const presented = presentedCredentials(request, CARRIERS);
  if (presented.length > 1) throw new Problem("ambiguous_key");
  if (presented.length === 0)
    throw new Problem("key_required", { headers: { "WWW-Authenticate": 'Bearer realm="directory"' } });
  const verdict = access.verify(presented[0]);
  if (verdict.state === "valid") return verdict.holder;

  const code: ProblemCode = `key_${verdict.state}`;
  throw new Problem(code, { headers: { "WWW-Authenticate": 'Bearer realm="directory", error="invalid_token"' } });
}

/**
 * Items that the answer may hold, read before validation because the day's quota is checked before it. A `limit` that is not
 * valid wants nothing: the request ends as a 400.
 */
function wantedItems(request: FastifyRequest, endpoint: Endpoint): number {
  if (request.method === "HEAD") return 0;
  if (endpoint.id === getItem.id) return 1;
  if (endpoint.id !== getItems.id) return 0;
  const { limit } = request.query as Readonly<Record<string, unknown>>;
  if (limit === undefined) return LIMIT_DEFAULT;
  if (limit === "all") return Number.POSITIVE_INFINITY;
  const wanted = Number(limit);
  return Number.isInteger(wanted) && wanted >= 0 && wanted <= LIMIT_MAX ? wanted : 0;
}

/** What each admitted request still has to write into its answer. */
const leaving = new WeakMap<FastifyRequest, () => void>();

/** Writes the headers that tell what is left, once, when it is known what the answer holds. To be called as it is sent. */
export function writeMeteringHeaders(request: FastifyRequest): void {
  leaving.get(request)?.();
}

interface Entered {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly holder: KeyHolder;
  readonly entry: Entry;
}

function enteredCaller({ request, reply, holder, entry }: Entered): Caller {
  let sent: Sent = { items: 0, geo: false };
  // A request that comes through no socket (a test's injection) has written nothing to one.
  const written = () => request.raw.socket.bytesWritten || 0;
  const before = written();
  let settled = false;
  const settle = (items: number): void => {
    if (settled) return;
    settled = true;
    const route = request.routeOptions.url ?? "unknown";
    const bytes = contentLength(reply) ?? written() - before;
    entry
      .settle({ requestId: request.id, route, status: reply.statusCode, items, bytes, geo: sent.geo })
      .catch((error: unknown) => request.log.error({ err: error }, "usage was not booked"));
  };
  const counted = () => (reply.statusCode === 200 ? sent.items : 0);
  // `finish`: everything was handed over. `close` alone: the client left before, so only what a stream wrote counts.
  reply.raw.once("finish", () => settle(counted()));
  reply.raw.once("close", () => settle(sent.partial === true ? counted() : 0));
  leaving.set(request, () => {
    void reply.headers(entry.fields(counted()));
  });

  const caller: Caller = {
    holder,
    entry,
    plan: PLANS[holder.plan],
    granted: entry.granted,
    refuseExhausted() {
      if (entry.exhaustedFor === null) return;
      sent = { items: 0, geo: false };
      throw new Problem("quota_exceeded", {
        detail: "The key has received all the items of its day (UTC). The next day starts at midnight UTC.",
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

/** Bytes of a body whose length was known before it was sent. */
function contentLength(reply: FastifyReply): number | null {
  const length = reply.raw.getHeader("content-length");
  return length === undefined ? null : Number(length);
}
