import {
  TEXTS_PER_ROUTE_MIN,
  WAIT_DEFAULT,
  WAIT_MAX,
  type BodyOf,
  type createHead,
  type Endpoint,
} from "@triptych/contracts";
import { Problem, type RequestContext, type ValidationErrors } from "@triptych/server";
import type { FastifyReply } from "fastify";
import type { HeadRecord } from "../domain/heads/head.ts";
import { headBody } from "../domain/heads/head-body.ts";
import type { ShortRoute } from "../domain/heads/training-request.ts";
import type { FileRead, Heads } from "../domain/heads/heads.ts";
import { toShadowReport } from "../domain/heads/promotion-gate.ts";
import type { Ordered } from "../domain/heads/trainings.ts";
import type { Caller } from "./identify.ts";
import { idempotencyKeyOf } from "./expert-problems.ts";
import { readTrainingRequest, readWait } from "./parsers/read-head.ts";

type Asking = RequestContext<Endpoint & { readonly auth: string }, Caller>;

export interface HeadDeps {
  readonly heads: Heads;
  readonly url: () => string;
  readonly now: () => number;
}

interface OfHead {
  readonly caller: Caller;
  readonly params: { readonly id: string };
  readonly reply: FastifyReply;
}

export function createHeadHandler({ heads, url, now }: HeadDeps) {
  return {
    async handle(
      { caller, body, request, reply, idempotencyKey }: RequestContext<typeof createHead, Caller>,
      errors: ValidationErrors,
    ) {
      if (errors.has("")) errors.refuse();
      const input = readTrainingRequest(body, errors);
      const waitMs = readWait(request.headers["prefer"], { usual: WAIT_DEFAULT, most: WAIT_MAX }, errors);
      errors.refuse();
      const routeAt = (index: number) => {
        const { route } = input.routes[index];
        return { route, path: routePath(body, route, index) };
      };
      if (caller.isOnlyAsking) return judged(await heads.judge(input), routeAt, reply);
      const once = idempotencyKeyOf(idempotencyKey, body, now());
      const { head, isReplayed } = headOf(await heads.train(caller.owner, input, { once, waitMs }), routeAt);
      if (isReplayed) reply.header("Idempotency-Replayed", "true");
      reply.code(head.state === "training" ? 202 : 201).header("Location", `/v1/heads/${head.id}`);
      return headBody(head, url());
    },
  };
}

/** Returns the name of a route by its index, and the JSON pointer to it or to the first example that names it. */
type RouteAt = (index: number) => { readonly route: string; readonly path: string };

function routePath({ routes, examples = [] }: BodyOf<typeof createHead>, route: string, index: number): string {
  if (routes !== undefined) return `/routes/${index}`;
  return `/examples/${examples.findIndex((example) => example.route === route)}/route`;
}

function judged(short: readonly ShortRoute[], routeAt: RouteAt, reply: FastifyReply): FastifyReply {
  if (short.length > 0) throw tooFew(short, routeAt);
  return reply.code(204).send();
}

function headOf(ordered: Ordered, routeAt: RouteAt) {
  switch (ordered.kind) {
    case "head":
      return ordered;
    case "too_few":
      throw tooFew(ordered.short, routeAt);
    case "no_room":
      throw new Problem("head_limit", { members: { of: ordered.of } });
    case "queue_full":
      throw queueFull();
    case "other_payload":
      throw new Problem("idempotency_key_reused");
    case "deleted":
      throw new Problem("head_not_found");
  }
}

/** Seconds after which a training may have ended. */
const RETRY_TRAINING = "10";

export function queueFull(): Problem {
  return new Problem("training_queue_full", { headers: { "Retry-After": RETRY_TRAINING } });
}

/** Route names are the owner's data: they appear in responses to the owner, but never in a log. */
function tooFew(short: readonly ShortRoute[], routeAt: RouteAt): Problem {
  const errors = short.map(({ index, texts }) => {
    const { route, path } = routeAt(index);
    return {
      path,
      reason: "too_few_examples",
      message: `The route "${route}" has ${texts} distinct text${texts === 1 ? "" : "s"}; it needs at least ${TEXTS_PER_ROUTE_MIN}.`,
      texts,
    };
  });
  return new Problem("too_few_examples", { members: { errors } });
}

export function listHeadsHandler({ heads, url }: HeadDeps) {
  return async ({ caller }: Pick<OfHead, "caller">) => {
    const listed = await heads.list(caller.owner);
    return { object: "list", data: listed.map((head) => headBody(head, url())) };
  };
}

export function getHeadHandler({ heads, url }: HeadDeps) {
  return async ({ caller, params }: OfHead) => headBody(orNotFound(await heads.find(caller.owner, params.id)), url());
}

export function deleteHeadHandler({ heads }: HeadDeps) {
  return async ({ caller, params, reply }: OfHead) => {
    if (!(await heads.remove(caller.owner, params.id))) throw new Problem("head_not_found");
    return reply.code(204).send();
  };
}

export function headArtifactHandler({ heads }: HeadDeps) {
  return async ({ caller, params, reply, request }: OfHead & Pick<Asking, "request">) => {
    const { sha256, read } = fileOf(await heads.file(caller.owner, params.id));
    const etag = `"${sha256}"`;
    reply.header("ETag", etag);
    if (namesTag(request.headers["if-none-match"], etag)) return reply.code(304).send();
    const bytes = await read();
    return reply
      .type("application/octet-stream")
      .header("Content-Disposition", `attachment; filename="${params.id}.tphd"`)
      .send(Buffer.from(bytes));
  };
}

export function headCardHandler({ heads }: HeadDeps) {
  return async ({ caller, params, reply }: OfHead) => {
    const { read } = fileOf(await heads.file(caller.owner, params.id));
    return reply.type("text/markdown; charset=utf-8").send(heads.card(await read()));
  };
}

function fileOf(file: FileRead) {
  switch (file.kind) {
    case "none":
      throw new Problem("head_not_found");
    case "not_ready":
      throw notReady(file.head);
    case "file":
      return file;
  }
}

function namesTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}

export function shadowHeadHandler({ heads, url }: HeadDeps) {
  return async ({ caller, params, body }: OfHead & { readonly body: { readonly enabled: boolean } }) => {
    const moved = await heads.shadow(caller.owner, params.id, body.enabled);
    if (moved === null) throw new Problem("head_not_found");
    if (moved.outcome !== "moved") throw notReady(moved.head);
    return headBody(moved.head, url());
  };
}

export function promoteHeadHandler({ heads, url }: HeadDeps) {
  return async ({ caller, params, body }: OfHead & { readonly body: { readonly force?: boolean } }) => {
    const promoted = await heads.promote(caller.owner, params.id, { isForced: body.force ?? false });
    if (promoted === null) throw new Problem("head_not_found");
    const { head, outcome } = promoted;
    switch (outcome) {
      case "moved":
        return headBody(head, url());
      case "impossible":
        throw notReady(head);
      case "refused":
        throw new Problem("promotion_gate", { members: { shadow: toShadowReport(head.shadow) } });
      case "trunk_mismatch":
        throw new Problem("trunk_mismatch", { members: { state: head.state } });
    }
  };
}

function notReady({ state, reason }: HeadRecord): Problem {
  return new Problem("head_not_ready", { members: { state, ...(reason !== null && { reason }) } });
}

function orNotFound(head: HeadRecord | null): HeadRecord {
  if (head === null) throw new Problem("head_not_found");
  return head;
}
