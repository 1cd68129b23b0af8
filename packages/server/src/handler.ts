/** What a handler is told, and the two forms it may have. */
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from "@triptych/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Faults } from "./faults.ts";

/** What a handler is told. */
export interface Exchange<E extends Endpoint, Caller> {
  /** Who calls; null where the endpoint looks at no credential. */
  readonly caller: E["auth"] extends string ? Caller : null;
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  /** Bytes where the endpoint takes them raw. */
  readonly body: E["rawBody"] extends true ? Buffer : BodyOf<E>;
  /** Of an endpoint that honours it; null when none was sent. */
  readonly idempotencyKey: string | null;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers with what it returns: an object is sent as JSON, bytes and streams as they are. */
export type Answering<E extends Endpoint, Caller> = (exchange: Exchange<E, Caller>) => unknown;

/**
 * A handler whose input the schema alone cannot judge adds its own faults to those of the schema. It must call
 * `faults.refuse()` before it does anything else.
 */
export interface CarefulHandler<E extends Endpoint, Caller> {
  /**
   * Hears of a JSON body when its bytes have come, before they are read: what needs no more can begin meanwhile. Only what changes nothing,
   * and answers nobody: it may turn out to be no JSON, and the handler is never called. The body is read when the promise is kept; it must be.
   */
  readonly early?: (request: FastifyRequest) => Promise<void> | undefined;
  readonly careful: (exchange: Exchange<E, Caller>, faults: Faults) => unknown;
}

export type Handler<E extends Endpoint, Caller> = Answering<E, Caller> | CarefulHandler<E, Caller>;
