/** Authentication and rate limit of a request. The owner header is trusted only with the service token of a gateway. */
import type { Endpoint } from "@triptych/contracts";
import { readCredentials, Problem, validationFailed, type HostOptions, type Authenticate } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { routerContract } from "../contract.ts";
import type { Access } from "../domain/access.ts";
import { isOwner, LOCAL_OWNER } from "../domain/experts.ts";

const CARRIERS = routerContract.credentials["caller"] ?? [];
const REALM = 'Bearer realm="router"';

export function createAuthenticate(access: Access): Authenticate<Caller> {
  return async (request, reply, endpoint) => {
    const token = readCredentials(request, CARRIERS).at(0);
    const isService = token !== undefined && access.isService(token);
    if (access.needsToken && !isService && (token === undefined || !access.isCaller(token))) throw tokenInvalid(token);
    if (access.isReadOnly && !isService && changes(endpoint)) throw new Problem("router_token_required");
    const owner = isService ? ownerOf(request) : LOCAL_OWNER;
    admit(access, { owner, reply, endpoint });
    return { owner, isOnlyAsking: isService && request.headers["x-router-judge"] !== undefined };
  };
}

/**
 * Without a token, a web page could reach the router through DNS rebinding, so hosts are restricted. A gateway sends
 * the service token and may use any host.
 */
export function hostOptions(access: Access, allowed: readonly string[] = []): HostOptions | undefined {
  if (access.needsToken) return undefined;
  const admits = (request: FastifyRequest) => readCredentials(request, CARRIERS).some(access.isService);
  return { allowed, variable: "ROUTER_ALLOWED_HOSTS", admits };
}

/** Whether an endpoint changes something: heads and feedback do, decisions do not. */
function changes({ method, path }: Endpoint): boolean {
  return method !== "GET" && (path.startsWith("/v1/heads") || path === "/v1/feedback");
}

function tokenInvalid(token: string | undefined): Problem {
  const challenge = token === undefined ? REALM : `${REALM}, error="invalid_token"`;
  return new Problem("token_invalid", { headers: { "WWW-Authenticate": challenge } });
}

function ownerOf({ headers }: FastifyRequest): string {
  const named = headers["x-router-owner"];
  if (named === undefined) return LOCAL_OWNER;
  if (typeof named === "string" && isOwner(named)) return named;
  const message = "`X-Router-Owner` must be a wallet ID: letters, digits, `_` and `-`.";
  throw validationFailed([{ path: "header:X-Router-Owner", reason: "wrong_form", message }]);
}

interface Arrival {
  readonly owner: string;
  readonly reply: FastifyReply;
  readonly endpoint: Endpoint;
}

/** Only decisions count against the limit. */
function admit(access: Access, { owner, reply, endpoint }: Arrival): void {
  const admission = endpoint.method === "POST" && !changes(endpoint) ? access.enter(owner) : null;
  if (admission === null) return;
  reply.headers(admission.fields);
  if (admission.retryAfter === null) return;
  throw new Problem("rate_limited", {
    detail: `The rate limit of the last 60 seconds is reached. Wait ${admission.retryAfter} s.`,
    headers: { "Retry-After": String(admission.retryAfter) },
  });
}

export interface Caller {
  /** Owner of the usable heads: `local` without a gateway, a wallet ID behind one. */
  readonly owner: string;
  /** The gateway only validates a training request, before it requires payment. Nothing is created. */
  readonly isOnlyAsking: boolean;
}
