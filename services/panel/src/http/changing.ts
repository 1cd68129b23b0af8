/** Every change of an account goes through here: one commit, done once per `Idempotency-Key`, its refusals answered as problems. */
import { createHash } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";
import { Problem } from "@triptych/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Books } from "../domain/panel-store.ts";
import type { Panel } from "../domain/panel.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Caller } from "./caller.ts";

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

export async function changing(
  panel: Panel,
  asked: Asked,
  work: (books: Books) => Promise<Answered>,
): Promise<unknown> {
  const { caller, idempotencyKey, reply } = asked;
  const owner = caller.account.id;
  const answer = await refusing(panel, () =>
    panel.store.change(owner, async (books) => {
      if (idempotencyKey === null) return work(books);
      const operation = `${asked.request.method} ${asked.request.routeOptions.url ?? ""}`;
      const key = hashOf([operation, idempotencyKey]);
      const payload = hashOf([asked.params ?? null, asked.body ?? null]);
      const known = await books.once.find(key, panel.now());
      if (known !== null && known.payload !== payload) throw new Refusal("idempotency_key_reused");
      if (known !== null) {
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

/** What the domain refuses, as a problem. */
export async function refusing<T>({ now }: Pick<Panel, "now">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { detail, members, retryAt, status } = error.options;
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
