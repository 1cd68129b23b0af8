/**
 * A paid decision: the router decides, the rail charges, and the response is sent. The charge is bound to the final
 * bytes. It is acknowledged when the response has been sent, and reversed if the client has disconnected.
 */
import { canonicalJson, type Endpoint } from "@triptych/contracts";
import {
  meterHeaders,
  Problem,
  skipCompression,
  validationFailed,
  type RequestContext,
  type ValidationErrors,
} from "@triptych/server";
import type { FastifyReply } from "fastify";
import type { ServerResponse } from "node:http";
import type { Routers } from "../domain/routers.ts";
import type { Billed, Charged, Replayed, DecisionBilling } from "../domain/billing.ts";
import { askRouter, issuesOf, isUpstreamError, jsonOf, toProblem, type Answered } from "./router-client.ts";
import { ownerOf, type Caller } from "./caller.ts";
import { routerFailed, type PaymentErrors } from "./payment-errors.ts";

type Asking = RequestContext<Endpoint & { readonly auth: string }, Caller>;

export interface DecisionDeps {
  readonly routers: Routers;
  readonly decisionBilling: Pick<DecisionBilling, "digestOf" | "sell" | "recall">;
  readonly denials: PaymentErrors;
  /** Ends the charge with its response; returns false if the client has already disconnected. */
  readonly watchDelivery: (charged: Charged, response: ServerResponse) => boolean;
  readonly onSale: (op: string, outcome: string) => void;
  readonly clock: () => number;
}

export function decisionHandler(deps: DecisionDeps, endpoint: Endpoint) {
  const { routers, decisionBilling, denials, clock } = deps;
  const { id: op, path } = endpoint;
  return {
    async handle({ caller, request, reply, idempotencyKey: key }: Asking, errors: ValidationErrors) {
      const { wallet } = caller;
      if (wallet === null) throw new Error("A decision request has no wallet.");
      const req = decisionBilling.digestOf({ path, canonicalBody: canonicalBodyOf(request.body) });
      const call = { walletHash: wallet.hash, walletId: wallet.id, op, req };
      const startedAt = clock();
      const question = { request, endpoint, params: {}, owner: ownerOf(caller), isSafe: true };
      const verdict = await verdictOf(askRouter(routers, question), { reply, errors });
      const decided = clock();
      const durations = { wallet: caller.walletMs, router: decided - startedAt };
      if ("refuse" in verdict) {
        // A delivered key is replayed whatever the current state of routers and heads.
        const isKeyed = key !== null && headerIssues(errors).length === 0;
        const replayed = isKeyed ? await decisionBilling.recall({ ...call, key }) : null;
        if (replayed === null) return verdict.refuse();
        return replay(replayed, { ...durations, charge: clock() - decided });
      }

      const { answer } = verdict;
      // The client has disconnected. Without a charge, there is nothing to reverse.
      if (reply.raw.destroyed) return reply.hijack();
      const sale = await decisionBilling.sell({ ...call, key, answer: answer.body });
      deps.onSale(op, "code" in sale ? sale.code : sale.kind);
      if (sale.kind === "refused" && sale.code === "wallet_unknown") forgetMeter(reply);
      if (sale.kind === "refused" || sale.kind === "unavailable") throw denials.denied(sale, path);
      const spent = { ...durations, charge: clock() - decided };
      if (sale.kind === "replayed") return replay(sale, spent);
      begin(sale, spent, answer);
      if (!deps.watchDelivery(sale, reply.raw)) return reply.hijack();
      return send(answer.body);

      function replay(sale: Replayed, spent: Durations): FastifyReply {
        begin(sale, spent, null);
        reply.header("Idempotency-Replayed", "true");
        return send(Buffer.from(sale.answer));
      }

      function begin(sale: Billed, spent: Durations, answer: Answered | null): void {
        reply.headers(saleHeaders(sale)).header("Server-Timing", timing(spent, { answer, reply }));
        if (endpoint.id === "systemone") reply.header("x-typesafe-request-id", request.id);
      }

      function send(body: Buffer): FastifyReply {
        skipCompression(request, body.length);
        return reply.type("application/json; charset=utf-8").send(body);
      }
    },
  };
}

/** The token was revoked after the lookup, so the caller may no longer see the balance. */
function forgetMeter(reply: FastifyReply): void {
  for (const name of Object.keys(meterHeaders({ balanceMicro: 0 }))) reply.removeHeader(name);
}

type Verdict = { readonly answer: Answered } | { readonly refuse: () => FastifyReply };

async function verdictOf(
  asking: Promise<Answered>,
  { reply, errors }: { readonly reply: FastifyReply; readonly errors: ValidationErrors },
): Promise<Verdict> {
  try {
    const answer = await asking;
    refuseErrors(errors, answer);
    if (isUpstreamError(answer)) return { refuse: () => sendCompatRejection(reply, answer) };
    const problem = toProblem(answer);
    if (problem !== null) throw problem;
    if (!isDecision(answer)) throw routerFailed("the router response is not a JSON object");
    return { answer };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return {
      refuse() {
        throw error;
      },
    };
  }
}

/**
 * Throws for a number beyond the double range (1e400), which parses but cannot be serialized, so the request has no
 * digest.
 */
function canonicalBodyOf(body: unknown): string {
  try {
    return canonicalJson(body ?? null);
  } catch (cause) {
    throw new Problem("invalid_json", {
      detail: "The body contains a number outside the range of JSON parsers.",
      cause,
    });
  }
}

/** The router has found all other issues; the gateway adds only those of headers that the router does not read. */
function refuseErrors(errors: ValidationErrors, answer: Answered): void {
  const own = headerIssues(errors);
  if (own.length > 0) throw validationFailed([...issuesOf(answer), ...own]);
}

function headerIssues(errors: ValidationErrors) {
  return errors.list().filter(({ path }) => path.startsWith("header:"));
}

function sendCompatRejection(reply: FastifyReply, { status, headers, body }: Answered): FastifyReply {
  const id = headers["x-typesafe-request-id"];
  if (typeof id === "string") reply.header("x-typesafe-request-id", id);
  return reply.code(status).type("application/json; charset=utf-8").send(body);
}

/** Only a non-empty object counts as a decision. */
function isDecision(answer: Answered): boolean {
  return answer.status === 200 && Object.keys(jsonOf(answer)).length > 0;
}

/** Milliseconds that the engine took, from the router's header. */
function decideOf({ headers }: Answered): number | null {
  const header = headers["server-timing"];
  const decide = typeof header === "string" ? /\bdecide;dur=([\d.]+)/.exec(header)?.[1] : undefined;
  return decide === undefined ? null : Number(decide);
}

function saleHeaders({ receipt, chargeId, ...meter }: Billed): Record<string, string> {
  return { "X-Rail-Receipt": receipt, "X-Rail-Charge": chargeId, ...meterHeaders(meter) };
}

interface Durations {
  readonly wallet: number;
  readonly router: number;
  readonly charge: number;
}

/** `total` starts at the first byte of the request. */
function timing(
  { wallet, router, charge }: Durations,
  { answer, reply }: { readonly answer: Answered | null; readonly reply: FastifyReply },
): string {
  const decide = answer === null ? 0 : (decideOf(answer) ?? 0);
  const spent = `${part("wallet", wallet)}, ${part("router", router)}, ${part("decide", decide)}, ${part("charge", charge)}`;
  return `${spent}, ${part("total", reply.elapsedTime)}`;
}

function part(name: string, milliseconds: number): string {
  return `${name};dur=${milliseconds.toFixed(3)}`;
}
