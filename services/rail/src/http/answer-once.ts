/** Creating calls and their `Idempotency-Key`: done once, answered alike, refused while running or with another payload. */
import { Problem } from "@triptych/server";
import type { FastifyReply } from "fastify";
import { LEASE_MS, type Idempotency } from "../domain/idempotency.ts";

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

export interface OnceAsked {
  readonly exchange: {
    readonly idempotencyKey: string | null;
    readonly reply: FastifyReply;
    readonly body?: unknown;
    readonly params?: unknown;
  };
  readonly caller: string;
  readonly operation: string;
  readonly leaseMs?: number;
}

export async function answerOnce(
  idempotency: Idempotency,
  { exchange, caller, operation, leaseMs = LEASE_MS }: OnceAsked,
  work: () => Promise<Answered>,
): Promise<unknown> {
  const { idempotencyKey: key, reply, body, params } = exchange;
  if (key === null) return send(reply, await work());
  const payload = { body: body ?? null, params: params ?? null };
  const outcome = await idempotency.once({ caller, operation, key, payload, leaseMs }, work);
  switch (outcome.kind) {
    case "other_payload":
      throw new Problem("idempotency_key_reused");
    case "running":
      throw new Problem("idempotency_in_progress", { headers: { "Retry-After": "1" } });
    case "replayed":
      reply.header("Idempotency-Replayed", "true");
      break;
    case "first":
      break;
  }
  return send(reply, outcome.answer);
}

function send(reply: FastifyReply, { status, body }: Answered): unknown {
  reply.code(status);
  return body;
}
