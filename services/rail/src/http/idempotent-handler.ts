/**
 * Create calls with an `Idempotency-Key`: run once, repeat the response, and reject a call that is still running or has
 * another payload.
 */
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
  readonly context: {
    readonly idempotencyKey: string | null;
    readonly reply: FastifyReply;
    readonly body?: unknown;
    readonly params?: unknown;
  };
  readonly caller: string;
  readonly operation: string;
}

type Asker = Pick<Rail, "idempotency" | "ledger">;

export async function answerOnce<T>(
  { idempotency, ledger }: Asker,
  input: IdempotentRequest,
  work: (creating: CreatingLedger) => Promise<Answered<T>>,
): Promise<T> {
  const { reply } = input.context;
  const call = callOf(input);
  if (call === null) return send(reply, await work(ledger));
  const outcome = await idempotency.once(call, work);
  if (outcome.kind === "other_payload") throw new Problem("idempotency_key_reused");
  if (outcome.kind === "replayed") reply.header("Idempotency-Replayed", "true");
  return send(reply, outcome.answer);
}

/** A call that involves a payment provider. The first commit creates the record; the later steps can be repeated. */
export interface Steps<T> {
  begin(creating: CreatingLedger): Promise<string>;
  /** True while this process is calling the provider about the record. */
  isInProgress(id: string): boolean;
  finish(id: string): Promise<Answered<T>>;
  abandon(id: string): Promise<void>;
  /** Runs all steps, for a call without a key. */
  whole(): Promise<Answered<T>>;
}

type Progress<T> = { readonly recordId: string } | Answered<T>;

/**
 * If a process dies midway, a repeated call continues its work immediately. If another process is still calling the
 * provider, the provider gets two calls for one record and creates it once.
 */
export async function answerInSteps<T>(rail: Asker, input: IdempotentRequest, steps: Steps<T>): Promise<T> {
  const { reply } = input.context;
  const call = callOf(input);
  if (call === null) return send(reply, await steps.whole());
  const begin = async (creating: CreatingLedger): Promise<Progress<T>> => ({ recordId: await steps.begin(creating) });
  const outcome = await rail.idempotency.once(call, begin);
  if (outcome.kind === "other_payload") throw new Problem("idempotency_key_reused");
  const { answer, record, kind } = outcome;
  if (!("recordId" in answer)) return send(reply.header("Idempotency-Replayed", "true"), answer);

  if (kind === "replayed") {
    if (steps.isInProgress(answer.recordId))
      throw new Problem("idempotency_in_progress", { headers: { "Retry-After": "1" } });
    reply.header("Idempotency-Replayed", "true");
  }
  const done = await (kind === "first" ? finishFirst(answer.recordId, record, steps) : steps.finish(answer.recordId));
  const counts = await record.keep(done);
  return send(reply, "recordId" in counts ? done : counts);
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
      // Free the key first, so that a concurrent call starts over instead of seeing the abandoned record. If another
      // call has continued it, that call owns the record.
      if (await record.forget()) await steps.abandon(id);
    }
    throw error;
  }
}

function callOf({ context, caller, operation }: IdempotentRequest): OnceCall | null {
  const { idempotencyKey: key, body, params } = context;
  return key === null ? null : { caller, operation, key, payload: { body: body ?? null, params: params ?? null } };
}

function send<T>(reply: FastifyReply, { status, body }: Answered<T>): T {
  reply.code(status);
  return body;
}
