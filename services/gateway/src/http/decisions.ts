/**
 * A paid decision: the router decides, the rail charges, the answer leaves. The bytes are final before the charge, which binds them; and
 * the charge is ended by what becomes of the answer: delivered when it has left, reversed when nobody was there to take it.
 */
import { canonicalJson, type Endpoint } from "@triptych/contracts";
import {
  meterHeaders,
  Problem,
  spareCompression,
  validationFailed,
  type RequestContext,
  type ValidationErrors,
} from "@triptych/server";
import type { FastifyReply } from "fastify";
import type { ServerResponse } from "node:http";
import { setTimeout as after } from "node:timers/promises";
import type { Routers } from "../domain/routers.ts";
import type { Billed, Charged, Replayed, DecisionBilling } from "../domain/billing.ts";
import { askRouter, faultsOf, isUpstreamError, jsonOf, refusalOf, type Answered } from "./router-client.ts";
import { ownerOf, type Caller } from "./caller.ts";
import { routerFailed, type PaymentErrors } from "./payment-errors.ts";

type Asking = RequestContext<Endpoint & { readonly auth: string }, Caller>;

export interface DecisionDeps {
  readonly routers: Routers;
  readonly decisionBilling: Pick<DecisionBilling, "digestOf" | "sell" | "recall">;
  readonly denials: PaymentErrors;
  /** Ties a charge to the response that it pays for; false where nobody is there any more. */
  readonly watchDelivery: (charged: Charged, response: ServerResponse) => boolean;
  /** Hears what became of each sale. */
  readonly onSale: (op: string, outcome: string) => void;
  readonly clock: () => number;
}

export function decisionHandler(deps: DecisionDeps, endpoint: Endpoint) {
  const { routers, decisionBilling, denials, clock } = deps;
  const { id: op, path } = endpoint;
  const underWay = new WeakMap<Asking["request"], PendingQuestion>();
  return {
    /** The router reads the body as we do: with 400 questions in it each takes two milliseconds, side by side. */
    early(request: Asking["request"]) {
      const question = ask(request);
      // A body that we cannot read either is answered by ourselves.
      question.answer.catch(() => undefined);
      underWay.set(request, question);
      return (request.bodyBytes?.length ?? 0) > SENT_AT_ONCE ? after(SENDING_MS) : undefined;
    },
    async handle({ caller, request, reply, idempotencyKey: key }: Asking, faults: ValidationErrors) {
      const { wallet } = caller;
      if (wallet === null) throw new Error("Nobody asks for a decision without a wallet.");
      const { startedAt, answer: asking } = underWay.get(request) ?? ask(request);
      // The digest of a large request takes a millisecond, in which the router decides.
      const judging = Promise.all([verdictOf(asking, { reply, faults }), digestOf(request.body)]);
      const [verdict, req] = await whenSettled(request, judging);
      const call = { walletHash: wallet.hash, walletId: wallet.id, op, req };
      const decided = clock();
      const durations = { wallet: caller.walletMs, router: decided - startedAt };
      if ("refuse" in verdict) {
        // What was delivered under this key is answered, whatever has become of the routers and their heads since.
        const isKeyed = key !== null && headerFaults(faults).length === 0;
        const replayed = isKeyed ? await decisionBilling.recall({ ...call, key }) : null;
        if (replayed === null) return verdict.refuse();
        return replay(replayed, { ...durations, charge: clock() - decided });
      }

      const { answer } = verdict;
      // Nobody is there to be answered: what is not charged need not be reversed.
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

      async function digestOf(body: unknown): Promise<string> {
        return decisionBilling.digestOf({ path, canonicalBody: canonicalBodyOf(body) });
      }

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
        spareCompression(request, body.length);
        return reply.type("application/json; charset=utf-8").send(body);
      }
    },
  };

  function ask(request: Asking["request"]): PendingQuestion {
    // `identify` has put it there: nobody gets this far without.
    const owner = ownerOf(request.caller as Caller);
    return { startedAt: clock(), answer: askRouter(routers, { request, endpoint, params: {}, owner, isSafe: true }) };
  }
}

/**
 * What a connection takes at once is what the other side has room for. The rest leaves when the router has read that, and a thread that is
 * reading the same body by then would not see it: the router would wait for us to have read it all.
 */
const SENT_AT_ONCE = 32 * 1024;
const SENDING_MS = 1;

interface PendingQuestion {
  /** When. */
  readonly startedAt: number;
  readonly answer: Promise<Answered>;
}

/**
 * A minute that turns out to be full is told at once and before everything else. What the router says then is read to its end, within the
 * time that it has, and is nobody's: to hang up on it would cost its connection, and look as if it had failed.
 */
async function whenSettled<T>({ unsettled }: Asking["request"], work: Promise<T>): Promise<T> {
  if (unsettled === null) return work;
  work.catch(() => undefined);
  await unsettled;
  return work;
}

/** The wallet was known at the door, and its token has ended since: what the wallet holds is not its business any more. */
function forgetMeter(reply: FastifyReply): void {
  for (const name of Object.keys(meterHeaders(0))) reply.removeHeader(name);
}

type Verdict = { readonly answer: Answered } | { readonly refuse: () => FastifyReply };

/** A decision, or how the caller is told that there is none. */
async function verdictOf(
  asking: Promise<Answered>,
  { reply, faults }: { readonly reply: FastifyReply; readonly faults: ValidationErrors },
): Promise<Verdict> {
  try {
    const answer = await asking;
    refuseFaults(faults, answer);
    if (isUpstreamError(answer)) return { refuse: () => sendForeignRefusal(reply, answer) };
    const refusal = refusalOf(answer);
    if (refusal !== null) throw refusal;
    if (!isDecision(answer)) throw routerFailed("the router answered no JSON object");
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

/** A number beyond a double (1e400) parses, and can be written by nobody: there would be no digest of the request. */
function canonicalBodyOf(body: unknown): string {
  try {
    return canonicalJson(body ?? null);
  } catch (cause) {
    throw new Problem("invalid_json", { detail: "A number of the body is beyond what JSON readers hold.", cause });
  }
}

/** Our own faults are those of headers that the router does not read; it has found all others, in the same request. */
function refuseFaults(faults: ValidationErrors, answer: Answered): void {
  const own = headerFaults(faults);
  if (own.length > 0) throw validationFailed([...faultsOf(answer), ...own]);
}

function headerFaults(faults: ValidationErrors) {
  return faults.list().filter(({ path }) => path.startsWith("header:"));
}

function sendForeignRefusal(reply: FastifyReply, { status, headers, body }: Answered): FastifyReply {
  const id = headers["x-typesafe-request-id"];
  if (typeof id === "string") reply.header("x-typesafe-request-id", id);
  return reply.code(status).type("application/json; charset=utf-8").send(body);
}

/**
 * What is no object must not be sold. A router says how long it took to decide on nothing but a decision, which it has written itself, from
 * brace to brace, and which is here whole; whoever else answers is read, which takes a millisecond where there were 400 questions.
 */
function isDecision(answer: Answered): boolean {
  if (answer.status !== 200) return false;
  const { body } = answer;
  const isMarked = decideOf(answer) !== null && isJson(answer);
  if (isMarked) return body.length > EMPTY_OBJECT.length && body[0] === BRACE && body.at(-1) === CLOSING_BRACE;
  return Object.keys(jsonOf(answer)).length > 0;
}

const EMPTY_OBJECT = "{}";
const BRACE = EMPTY_OBJECT.charCodeAt(0);
const CLOSING_BRACE = EMPTY_OBJECT.charCodeAt(1);

function isJson({ headers }: Answered): boolean {
  return String(headers["content-type"]).startsWith("application/json");
}

/** Milliseconds that the engine took, as the router tells it. */
function decideOf({ headers }: Answered): number | null {
  const header = headers["server-timing"];
  const decide = typeof header === "string" ? /\bdecide;dur=([\d.]+)/.exec(header)?.[1] : undefined;
  return decide === undefined ? null : Number(decide);
}

function saleHeaders({ receipt, chargeId, balanceMicro }: Billed): Record<string, string> {
  return { "X-Rail-Receipt": receipt, "X-Rail-Charge": chargeId, ...meterHeaders(balanceMicro) };
}

interface Durations {
  readonly wallet: number;
  readonly router: number;
  readonly charge: number;
}

/** `total` begins with the first byte of the request. */
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
