/** Every change of an account goes through here: one commit, done once per `Idempotency-Key`, its refusals answered as problems. */
import { createHash } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";
import { Problem } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Books } from "../domain/repositories.ts";
import type { Panel } from "../domain/panel.ts";
import { Refusal } from "../domain/domain-error.ts";
import { detailOf } from "../domain/domain-error-detail.ts";
import { mayWrite, type Caller } from "./caller.ts";

export interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Asked {
  readonly caller: Caller;
  readonly idempotencyKey: string | null;
  readonly params: unknown;
  readonly body?: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const REMEMBERED_MS = 24 * 3_600_000;

/** `mayHear`: who may not do it is not told either what it answered to somebody of the account who may. */
export async function changing(
  panel: Panel,
  asked: Asked,
  work: (books: Books) => Promise<Answered>,
  mayHear: (caller: Caller) => void = mayWrite,
): Promise<unknown> {
  const { caller, idempotencyKey, reply } = asked;
  const owner = caller.account.id;
  const answer = await refusing(panel, () =>
    panel.store.change(owner, async (books) => {
      if (idempotencyKey === null) return work(books);
      const { key, payload } = entryOf(asked, idempotencyKey);
      const known = await books.once.find(key, panel.now());
      if (known !== null) {
        mayHear(caller);
        if (known.payload !== payload) throw new Refusal("idempotency_key_reused");
        reply.header("Idempotency-Replayed", "true");
        return JSON.parse(panel.seal.open(known.answer, owner).toString()) as Answered;
      }
      const made = await work(books);
      const expiresAt = panel.now() + REMEMBERED_MS;
      await books.once.keep({ key, payload, answer: panel.seal.seal(JSON.stringify(made), owner), expiresAt });
      return made;
    }),
  );
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(answer.body);
}

/**
 * As `changing`, where the work speaks to others and cannot be done inside a change. Done twice at once it must do the same: only its
 * answer is remembered.
 */
export async function replaying(panel: Parts, asked: Asked, work: () => Promise<Answered>): Promise<unknown> {
  const { caller, idempotencyKey, reply } = asked;
  const owner = caller.account.id;
  const send = ({ status, body, headers = {} }: Answered) => reply.code(status).headers(headers).send(body);
  if (idempotencyKey === null) return send(await refusing(panel, work));
  const { key, payload } = entryOf(asked, idempotencyKey);
  const known = await panel.store.of(owner).once.find(key, panel.now());
  if (known !== null) {
    await refusing(panel, async () => mayWrite(caller));
    if (known.payload !== payload) throw new Problem("idempotency_key_reused");
    reply.header("Idempotency-Replayed", "true");
    return send(JSON.parse(panel.seal.open(known.answer, owner).toString()) as Answered);
  }
  const made = await refusing(panel, work);
  const answer = panel.seal.seal(JSON.stringify(made), owner);
  const expiresAt = panel.now() + REMEMBERED_MS;
  await panel.store.change(owner, async ({ once }) => {
    if ((await once.find(key, panel.now())) === null) await once.keep({ key, payload, answer, expiresAt });
  });
  return send(made);
}

type Parts = Pick<Panel, "store" | "seal" | "now">;

/** Hashes of what is asked by whom, and of what is sent with it. */
function entryOf({ request, params, body }: Asked, idempotencyKey: string) {
  const operation = `${request.method} ${request.routeOptions.url ?? ""}`;
  return { key: hashOf([operation, idempotencyKey]), payload: hashOf([params ?? null, body ?? null]) };
}

/** What the domain refuses, as a problem. */
export async function refusing<T>({ now }: Pick<Panel, "now">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
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
