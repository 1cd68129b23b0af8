/**
 * An endpoint is data: what is asked, what is answered, what can go wrong. Fastify routes, the OpenAPI document, the typed
 * client, the discovery documents and `llms.txt` are all derived from it, so none of them can disagree with another.
 */
import type { Static, TObject, TSchema } from "typebox";
import type { ProblemCode } from "./problems.ts";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export interface Answer {
  readonly description: string;
  /** Absent for answers without a body. */
  readonly schema?: TSchema;
  /** Media types in order of preference; the first is the default. `application/json` when absent. */
  readonly media?: readonly string[];
  /** Schemas of the media types after the first, where they are JSON or text with a form of its own. */
  readonly schemas?: Readonly<Record<string, TSchema>>;
  /** Name of each header this answer carries beside the ones every answer carries, with its meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Endpoint {
  /** Unique in its service: OpenAPI's `operationId`. */
  readonly id: string;
  readonly method: Method;
  /** OpenAPI path template: `/api/item/{type}/{slug}`. A parameter with an `enum` is part of the path: other values are 404. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Name of the service's credential scheme, or null where no credential is looked at. */
  readonly auth: string | null;
  readonly params?: TObject;
  /**
   * An array schema is a comma list and may be repeated; with `x-repeat: "and"` each repetition is kept apart.
   * Every other parameter may appear once; with `x-repeat: "same"` also again with the same value. What is `x-ignored` is not judged.
   */
  readonly query?: TObject;
  readonly body?: TSchema;
  /**
   * The handler reads the body itself. A schema with unions can say that a body is wrong, but not what is wrong with it in words that
   * help; the schema is published all the same, and tests hold the two together.
   */
  readonly ownReading?: true;
  /** Honours `Idempotency-Key` (1-255 visible ASCII): the same key and payload are done once and answered alike. */
  readonly idempotent?: true;
  /** Most bytes of the body; 256 KiB when absent. */
  readonly bodyLimit?: number;
  /** A body that says anything is refused. Without it, an endpoint that has no schema of a body leaves that to its handler. */
  readonly takesNoBody?: true;
  /** The body is taken as the bytes that were sent, whatever their type: what is signed is not parsed first. */
  readonly rawBody?: true;
  /** The body may be absent, although neither its schema nor `takesNoBody` says so. */
  readonly optionalBody?: true;
  /** The handler reads the body as it arrives, bounds it, and is given nothing of it: what is large is not held in memory. */
  readonly streamBody?: true;
  readonly answers: Readonly<Record<number, Answer>>;
  readonly problems: readonly ProblemCode[];
  /** Paths with query that can be pasted after the service's address and answer 200. */
  readonly examples?: readonly string[];
}

/** Keeps the literal types of an endpoint, so that `ParamsOf` and its sisters can read them. */
export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint;
}

export type ParamsOf<E extends Endpoint> = E["params"] extends TSchema ? Static<E["params"]> : object;
export type QueryOf<E extends Endpoint> = E["query"] extends TSchema ? Static<E["query"]> : object;
export type BodyOf<E extends Endpoint> = E["ownReading"] extends true
  ? unknown
  : E["body"] extends TSchema
    ? Static<E["body"]>
    : undefined;
/** What a 200 holds, or a 201 or 202 where there is no 200. */
export type AnswerOf<E extends Endpoint> = E["answers"][200] extends { schema: infer S extends TSchema }
  ? Static<S>
  : E["answers"][201] extends { schema: infer S extends TSchema }
    ? Static<S>
    : E["answers"][202] extends { schema: infer S extends TSchema }
      ? Static<S>
      : undefined;

/** What a service promises as a whole. */
export interface ServiceContract {
  readonly name: string;
  readonly title: string;
  /** Two or three sentences for people and for agents: what it is good for. */
  readonly description: string;
  readonly version: string;
  readonly endpoints: readonly Endpoint[];
  /** How a credential may be carried, per scheme named by `Endpoint.auth`. OpenAPI security schemes; any one suffices. */
  readonly credentials: Readonly<Record<string, readonly CredentialCarrier[]>>;
  /** Schemes that a request may lack, because an operator may run the service without them. */
  readonly optionalCredentials?: readonly string[];
}

export interface CredentialCarrier {
  readonly in: "bearer" | "header" | "query" | "cookie";
  /** Name of the header, query parameter or cookie; absent for bearer. */
  readonly name?: string;
  readonly description: string;
}
