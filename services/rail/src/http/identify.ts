/**
 * Authentication and rate limits of a request. Failures are counted per address, and requests per wallet and minute,
 * whatever the response. Responses sent from here are never cacheable.
 */
import { railContract, rotateToken, type Endpoint } from "@triptych/contracts";
import { readCredentials, Problem, type Authenticate } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Access } from "../domain/access.ts";
import type { TokenWallet } from "../domain/ledger.ts";

const REALM = 'Bearer realm="rail"';

export function createAuthenticate(access: Access): Authenticate<Caller> {
  return async (request, reply, endpoint) => {
    reply.header("Cache-Control", "no-store");
    // If both the header and the bearer token are sent, the header wins.
    const token = readCredentials(request, railContract.credentials[endpoint.auth ?? ""] ?? []).at(0);
    switch (endpoint.auth) {
      case "wallet":
        return identifyWallet(access, { request, reply, endpoint, token });
      case "service":
        if (token !== undefined && access.isService(token)) return { kind: "service" };
        throw await refused(access, request, { code: "service_token_required", isWrong: token !== undefined });
      case "admin":
      case null:
      default:
        if (token !== undefined && access.isOperator(token)) return { kind: "operator" };
        if (token !== undefined && access.isReader(token)) {
          if (endpoint.problems.includes("read_only_token")) throw new Problem("read_only_token");
          return { kind: "operator" };
        }
        throw await refused(access, request, { code: "admin_token_required", isWrong: token !== undefined });
    }
  };
}

/**
 * Runs before the body is parsed, so that invalid requests count too. Provider events are signed and come in bursts, so
 * they are exempt.
 */
export function admitAnonymousWith(access: Pick<Access, "anonymous">) {
  return (request: FastifyRequest, { method, rawBody }: Endpoint): void => {
    if (method === "GET" || rawBody === true) return;
    const wait = access.anonymous(request.ip);
    if (wait === null) return;
    throw new Problem("rate_limited", {
      detail: `Too many requests without a token from this address. Wait ${wait} s.`,
      headers: { "Retry-After": String(wait), "Cache-Control": "no-store" },
    });
  };
}

interface Presented {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly endpoint: Endpoint;
  readonly token: string | undefined;
}

async function identifyWallet(access: Access, { request, reply, endpoint, token }: Presented): Promise<Caller> {
  if (token === undefined) throw await refused(access, request, { code: "wallet_token_required", isWrong: false });
  const tokenHash = access.hashOf(token);
  const wallet = tokenHash === null ? null : await access.wallet(token);
  if (tokenHash === null || wallet === null) {
    const mayRecall = endpoint.id === rotateToken.id && request.headers["idempotency-key"] !== undefined;
    if (mayRecall && tokenHash !== null) return { kind: "past_token", tokenHash };
    throw await invalidToken(access, request);
  }
  const admission = await access.enter(wallet.id, request.ip);
  reply.headers(admission.fields);
  if (!admission.admitted)
    throw new Problem("rate_limited", {
      detail: `The wallet has reached its request limit of the last 60 seconds. Wait ${admission.retryAfter} s.`,
      headers: { "Retry-After": String(admission.retryAfter) },
    });
  if (wallet.token !== null && isMainOnly(endpoint)) throw new Problem("main_token_required");
  return { kind: "wallet", wallet, tokenHash };
}

/** Derived from the contract: an endpoint that sub-tokens may not call lists this problem. */
function isMainOnly({ problems }: Endpoint): boolean {
  return problems.includes("main_token_required");
}

export function invalidToken(access: Access, request: FastifyRequest): Promise<Problem> {
  return refused(access, request, { code: "wallet_token_invalid", isWrong: true });
}

interface Refusal {
  readonly code: "wallet_token_required" | "wallet_token_invalid" | "service_token_required" | "admin_token_required";
  readonly isWrong: boolean;
}

async function refused(access: Access, request: FastifyRequest, { code, isWrong }: Refusal): Promise<Problem> {
  const wait = isWrong ? await access.failed(request.ip) : null;
  if (wait !== null)
    throw new Problem("rate_limited", {
      detail: `Too many invalid tokens from this address. Wait ${wait} s.`,
      headers: { "Retry-After": String(wait) },
    });
  const challenge = isWrong ? `${REALM}, error="invalid_token"` : REALM;
  return new Problem(code, { headers: { "WWW-Authenticate": challenge } });
}

export type Caller =
  | { readonly kind: "wallet"; readonly wallet: TokenWallet; readonly tokenHash: string }
  /** An expired token, which may still request the stored response of its own call. */
  | { readonly kind: "past_token"; readonly tokenHash: string }
  | { readonly kind: "service" }
  | { readonly kind: "operator" };

export function walletOf(caller: Caller): TokenWallet {
  if (caller.kind !== "wallet") throw new Error(`a ${caller.kind} credential reached a wallet endpoint`);
  return caller.wallet;
}
