/**
 * First steps of a request, before its body is read: a concurrency slot, the wallet, a slot of the wallet, and for a
 * decision a slot in its rate limit window. A call rejected here does not reach the router or the ledger.
 */
import { gatewayContract, isSold, type Endpoint } from "@triptych/contracts";
import { meterHeaders, readCredentials, Problem, type Authenticate } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Admission, DecisionBilling } from "../domain/billing.ts";
import type { ConcurrencyLimiter } from "../domain/concurrency-limiter.ts";
import { type Caller, type ResolvedWallet, pathOf } from "./caller.ts";
import { overloaded, type PaymentErrors } from "./payment-errors.ts";

export interface AuthDeps {
  readonly decisionBilling: Pick<DecisionBilling, "admit">;
  readonly traffic: ConcurrencyLimiter;
  readonly denials: PaymentErrors;
  /** Hash of a well-formed wallet token; otherwise null. */
  readonly walletHashOf: (token: string) => string | null;
  readonly limitFields: (left: { readonly remaining: number; readonly resetSeconds: number }) => Record<string, string>;
  readonly clock: () => number;
}

export function createAuthenticate(deps: AuthDeps): Authenticate<Caller> {
  const { traffic, clock } = deps;
  return async (request, reply, endpoint) => {
    const startedAt = clock();
    const leave = traffic.enter();
    if (leave === null) throw overloaded();
    reply.raw.once("close", leave);
    const wallet =
      endpoint.auth === "visitor" ? await visitor(deps, request) : await owner(deps, { request, reply, endpoint });
    if (wallet === null) return { wallet, walletMs: clock() - startedAt };
    reply.headers(meterHeaders(wallet));
    await admit(deps, wallet, { request, reply, endpoint });
    return { wallet, walletMs: clock() - startedAt };
  };
}

async function owner(
  { decisionBilling, traffic, denials, walletHashOf, limitFields }: AuthDeps,
  { request, reply, endpoint }: Arrival,
): Promise<ResolvedWallet> {
  const path = pathOf(request);
  const token = tokenOf(request, endpoint.auth ?? "wallet");
  if (token === undefined) throw denials.walletRequired(path);
  const walletHash = walletHashOf(token);
  if (walletHash === null) throw denials.denied(UNKNOWN, path);
  const isKeyed = !isSold(endpoint) || request.headers["idempotency-key"] !== undefined;
  const admission = await decisionBilling.admit({ walletHash, isKeyed, op: isSold(endpoint) ? endpoint.id : null });
  if (admission.kind === "refused" && admission.walletId !== undefined)
    reply.headers(limitFields(await traffic.peek(admission.walletId)));
  if (admission.kind !== "admitted") throw denials.denied(admission, path);
  return walletIn(admission, walletHash);
}

function walletIn(admission: Extract<Admission, { kind: "admitted" }>, hash: string): ResolvedWallet {
  const { walletId: id, balanceMicro, spendableMicro } = admission;
  return { id, hash, balanceMicro, spendableMicro };
}

const UNKNOWN = {
  kind: "refused",
  code: "wallet_unknown",
  balanceMicro: null,
  spendableMicro: null,
  reached: null,
} as const;

/** A caller without a usable wallet sees the public view. An unavailable rail must not make a wallet look invalid. */
async function visitor(
  { decisionBilling, denials, walletHashOf }: AuthDeps,
  request: FastifyRequest,
): Promise<ResolvedWallet | null> {
  const token = tokenOf(request, "visitor");
  const walletHash = token === undefined ? null : walletHashOf(token);
  if (walletHash === null) return null;
  const admission = await decisionBilling.admit({ walletHash, isKeyed: true, op: null });
  if (admission.kind === "unavailable") throw denials.denied(admission, pathOf(request));
  if (admission.kind === "refused") return null;
  return walletIn(admission, walletHash);
}

function tokenOf(request: FastifyRequest, scheme: string): string | undefined {
  return readCredentials(request, gatewayContract.credentials[scheme] ?? []).at(0);
}

interface Arrival {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly endpoint: Endpoint;
}

async function admit({ traffic, limitFields }: AuthDeps, { id }: ResolvedWallet, arrival: Arrival): Promise<void> {
  const { reply, endpoint } = arrival;
  const leave = traffic.enterOf(id);
  if (leave !== null) reply.raw.once("close", leave);
  if (leave === null || !isSold(endpoint)) reply.headers(limitFields(await traffic.peek(id)));
  if (leave === null)
    throw new Problem("rate_limited", {
      detail: `The wallet has ${traffic.perWallet} requests in progress, which is the maximum. Wait until one of them finishes.`,
      headers: { "Retry-After": "1" },
    });
  if (!isSold(endpoint)) return;
  const counted = await traffic.count(id);
  reply.headers(limitFields(counted));
  if (counted.isAccepted) return;
  throw new Problem("rate_limited", {
    detail: `The wallet has used its ${traffic.perMinute} decisions of the last 60 seconds. Wait ${counted.resetSeconds} s.`,
    headers: { "Retry-After": String(counted.resetSeconds) },
  });
}
