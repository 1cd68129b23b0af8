/** Creating calls and their `Idempotency-Key`: done once, answered alike, refused while running or with another payload. */
import { Problem } from "@triptych/server";
import type { FastifyReply } from "fastify";
import type { CreatingLedger } from "../domain/ledger.ts";
import type { IdempotencyRecord, OnceCall } from "../domain/idempotency.ts";
import { ProviderUnavailable } from "../domain/payments.ts";
import type { Rail } from "../domain/rail.ts";

export interface Answered<T> {
  readonly status: number;
  readonly body: T;
}

export interface IdempotentRequest {
  readonly exchange: {
    readonly idempotencyKey: string | null;
    readonly reply: FastifyReply;
    readonly body?: unknown;
    readonly params?: unknown;
  };
  readonly caller: string;
  readonly operation: string;
}

type Asker = Pick<Rail, "idempotency" | "ledger">;

/** What is done in one commit with its answer: `work` asks no other ledger than the one it is given. */
export async function answerOnce<T>(
  { idempotency, ledger }: Asker,
  input: IdempotentRequest,
  work: (creating: CreatingLedger) => Promise<Answered<T>>,
): Promise<T> {
  const { reply } = input.exchange;
  const call = callOf(input);
  if (call === null) return send(reply, await work(ledger));
  const outcome = await idempotency.once(call, work);
  if (outcome.kind === "other_payload") throw new Problem("idempotency_key_reused");
  if (outcome.kind === "replayed") reply.header("Idempotency-Replayed", "true");
  return send(reply, outcome.answer);
}

/** What a payment provider is asked for in between. The first commit makes what the rest is about; the rest may be repeated without harm. */
export interface Steps<T> {
  /** Answers the id of what was made. */
  begin(creating: CreatingLedger): Promise<string>;
  /** True while this process asks the provider about it. */
  isInProgress(id: string): boolean;
  finish(id: string): Promise<Answered<T>>;
  /** Whoever began could not reach the provider, and leaves it at that. */
  abandon(id: string): Promise<void>;
  /** All of it, for a call without a key. */
  whole(): Promise<Answered<T>>;
}

type Progress<T> = { readonly begun: string } | Answered<T>;

/**
 * A process that dies on the way leaves what it has begun, and the same call made again goes on with that at once. Should another
 * process be alive and asking the provider, it is asked twice about one thing, and makes it once.
 */
export async function answerInSteps<T>(rail: Asker, input: IdempotentRequest, steps: Steps<T>): Promise<T> {
  const { reply } = input.exchange;
  const call = callOf(input);
  if (call === null) return send(reply, await steps.whole());
  const begin = async (creating: CreatingLedger): Promise<Progress<T>> => ({ begun: await steps.begin(creating) });
  const outcome = await rail.idempotency.once(call, begin);
  if (outcome.kind === "other_payload") throw new Problem("idempotency_key_reused");
  const { answer, record, kind } = outcome;
  if (!("begun" in answer)) return send(reply.header("Idempotency-Replayed", "true"), answer);

  if (kind === "replayed") {
    if (steps.isInProgress(answer.begun))
      throw new Problem("idempotency_in_progress", { headers: { "Retry-After": "1" } });
    reply.header("Idempotency-Replayed", "true");
  }
  const done = await (kind === "first" ? finishFirst(answer.begun, record, steps) : steps.finish(answer.begun));
  const counts = await record.keep(done);
  return send(reply, "begun" in counts ? done : counts);
}

async function finishFirst<T>(
  id: string,
  record: IdempotencyRecord<Progress<T>>,
  steps: Steps<T>,
): Promise<Answered<T>> {
  try {
    return await steps.finish(id);
  } catch (error) {
    if (error instanceof ProviderUnavailable) {
      // The key first: who comes between the two begins anew, and is not shown what was left. Whoever went on with it has it.
      if (await record.forget()) await steps.abandon(id);
    }
    throw error;
  }
}

function callOf({ exchange, caller, operation }: IdempotentRequest): OnceCall | null {
  const { idempotencyKey: key, body, params } = exchange;
  return key === null ? null : { caller, operation, key, payload: { body: body ?? null, params: params ?? null } };
}

function send<T>(reply: FastifyReply, { status, body }: Answered<T>): T {
  reply.code(status);
  return body;
}
