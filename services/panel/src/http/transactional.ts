/** Every change of an account: one transaction, once per `Idempotency-Key`, with domain errors as problems. */
import { createHash } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";
import { Problem } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Repositories } from "../domain/repositories.ts";
import type { Panel } from "../domain/panel.ts";
import { DomainError, detailOf } from "../domain/domain-error.ts";
import { mayWrite, type Caller } from "./caller.ts";

export interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface MutationContext {
  readonly caller: Caller;
  readonly idempotencyKey: string | null;
  readonly params: unknown;
  readonly body?: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const REMEMBERED_MS = 24 * 3_600_000;

/** `authorizeReplay`: a caller without permission does not get the stored response either. */
export async function inTransaction(
  panel: Panel,
  context: MutationContext,
  work: (repositories: Repositories) => Promise<Answered>,
  authorizeReplay: (caller: Caller) => void = mayWrite,
): Promise<unknown> {
  const { caller, idempotencyKey, reply } = context;
  const owner = caller.account.id;
  const answer = await mapDomainErrors(panel, () =>
    panel.store.change(owner, async (repositories) => {
      if (idempotencyKey === null) return work(repositories);
      const { key, payload } = entryOf(context, idempotencyKey);
      const replayed = await repositories.once.find(key, panel.now());
      if (replayed !== null) {
        authorizeReplay(caller);
        if (replayed.payload !== payload) throw new DomainError("idempotency_key_reused");
        reply.header("Idempotency-Replayed", "true");
        return JSON.parse(panel.seal.open(replayed.answer, owner).toString()) as Answered;
      }
      const made = await work(repositories);
      const expiresAt = panel.now() + REMEMBERED_MS;
      await repositories.once.keep({ key, payload, answer: panel.seal.seal(JSON.stringify(made), owner), expiresAt });
      return made;
    }),
  );
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(answer.body);
}

/**
 * Like `inTransaction`, but for work with external calls, outside a transaction. Concurrent repeats must be harmless, because only the
 * response is stored.
 */
export async function idempotent(
  panel: Parts,
  context: MutationContext,
  work: () => Promise<Answered>,
): Promise<unknown> {
  const { caller, idempotencyKey, reply } = context;
  const owner = caller.account.id;
  const send = ({ status, body, headers = {} }: Answered) => reply.code(status).headers(headers).send(body);
  if (idempotencyKey === null) return send(await mapDomainErrors(panel, work));
  const { key, payload } = entryOf(context, idempotencyKey);
  const replayed = await panel.store.of(owner).once.find(key, panel.now());
  if (replayed !== null) {
    await mapDomainErrors(panel, async () => mayWrite(caller));
    if (replayed.payload !== payload) throw new Problem("idempotency_key_reused");
    reply.header("Idempotency-Replayed", "true");
    return send(JSON.parse(panel.seal.open(replayed.answer, owner).toString()) as Answered);
  }
  const made = await mapDomainErrors(panel, work);
  const answer = panel.seal.seal(JSON.stringify(made), owner);
  const expiresAt = panel.now() + REMEMBERED_MS;
  await panel.store.change(owner, async ({ once }) => {
    if ((await once.find(key, panel.now())) === null) await once.keep({ key, payload, answer, expiresAt });
  });
  return send(made);
}

type Parts = Pick<Panel, "store" | "seal" | "now">;

function entryOf({ request, params, body }: MutationContext, idempotencyKey: string) {
  const operation = `${request.method} ${request.routeOptions.url ?? ""}`;
  return { key: hashOf([operation, idempotencyKey]), payload: hashOf([params ?? null, body ?? null]) };
}

export async function mapDomainErrors<T>({ now }: Pick<Panel, "now">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { members, retryAt, status, detail = detailOf(error.code, members) } = error.options;
    const wait = retryAt === undefined ? null : Math.max(1, Math.ceil((retryAt - now()) / 1000));
    throw new Problem(error.code, {
      ...(detail !== undefined && { detail }),
      ...(members !== undefined && { members }),
      ...(status !== undefined && { status }),
      ...(wait !== null && { headers: { "Retry-After": String(wait) } }),
    });
  }
}

function hashOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(canonicalJson(parts)).digest("hex");
}
