/** The request context of a handler, and the two kinds of handlers. */
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from "@triptych/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ValidationErrors } from "./validation-errors.ts";

export interface RequestContext<E extends Endpoint, Caller> {
  readonly caller: E["auth"] extends string ? Caller : null;
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: E["rawBody"] extends true ? Buffer : BodyOf<E>;
  /** Null if the endpoint does not support the header, or if it is missing. */
  readonly idempotencyKey: string | null;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export type RequestHandler<E extends Endpoint, Caller> = (context: RequestContext<E, Caller>) => unknown;

/**
 * A handler with checks beyond the schema. It adds its issues to those of the schema, and must call `errors.refuse()`
 * before it does anything else.
 */
export interface ValidatingHandler<E extends Endpoint, Caller> {
  readonly handle: (context: RequestContext<E, Caller>, errors: ValidationErrors) => unknown;
}

export type Handler<E extends Endpoint, Caller> = RequestHandler<E, Caller> | ValidatingHandler<E, Caller>;
