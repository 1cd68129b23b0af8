/**
 * An endpoint is data: request, responses and problems. Fastify routes, the OpenAPI document, the typed client, the
 * discovery documents and `llms.txt` derive from it, so they cannot disagree.
 */
import type { Static, TObject, TSchema } from "typebox";
import type { ProblemCode } from "./problems.ts";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export interface EndpointResponse {
  readonly description: string;
  readonly schema?: TSchema;
  /** Media types in order of preference; the first is the default. `application/json` when absent. */
  readonly media?: readonly string[];
  /** Schemas of the media types after the first, if they are JSON or text with its own format. */
  readonly schemas?: Readonly<Record<string, TSchema>>;
  /** Response headers beyond the common ones, by name, each with its meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Endpoint {
  /** Unique per service: the `operationId` in OpenAPI. */
  readonly id: string;
  readonly method: Method;
  /** OpenAPI path template: `/api/item/{type}/{slug}`. A parameter with an `enum` is part of the path: other values are 404. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Name of the service's credential scheme, or null for endpoints that ignore credentials. */
  readonly auth: string | null;
  readonly params?: TObject;
  /**
   * Array parameters are comma lists and may repeat; `x-repeat: "and"` keeps repetitions apart. Other parameters
   * appear once, or with `x-repeat: "same"` again with the same value. `x-ignored` ones are not validated.
   */
  readonly query?: TObject;
  readonly body?: TSchema;
  /**
   * The handler validates the body itself, because the issues of a union schema are unreadable. The schema is still
   * published, and tests check that both agree.
   */
  readonly ownReading?: true;
  /**
   * Honors `Idempotency-Key` (1-255 visible ASCII characters): a repeated key and payload run once and get the same
   * response.
   */
  readonly idempotent?: true;
  readonly bodyLimit?: number;
  /** A non-empty body is rejected. Otherwise an endpoint without a body schema leaves the body to its handler. */
  readonly takesNoBody?: true;
  /** The body is passed on as raw bytes of any media type: signatures cover the unparsed bytes. */
  readonly rawBody?: true;
  /** The body is optional, also where the schema requires one. */
  readonly optionalBody?: true;
  /** The handler reads and limits the body as a stream, so that large bodies are not buffered. */
  readonly streamBody?: true;
  readonly answers: Readonly<Record<number, EndpointResponse>>;
  readonly problems: readonly ProblemCode[];
  /** Paths with query string that return 200 without further input. */
  readonly examples?: readonly string[];
}

/** Preserves the literal types of an endpoint for `ParamsOf` and the other type helpers. */
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
/** Response body of a 200, or of a 201 or 202 if there is no 200. */
export type AnswerOf<E extends Endpoint> = E["answers"][200] extends { schema: infer S extends TSchema }
  ? Static<S>
  : E["answers"][201] extends { schema: infer S extends TSchema }
    ? Static<S>
    : E["answers"][202] extends { schema: infer S extends TSchema }
      ? Static<S>
      : undefined;

export interface ServiceContract {
  readonly name: string;
  readonly title: string;
  /** Two or three sentences about the purpose, for people and agents. */
  readonly description: string;
  readonly version: string;
  readonly endpoints: readonly Endpoint[];
  /** Ways to send a credential, per scheme in `Endpoint.auth`, as OpenAPI security schemes; any one suffices. */
  readonly credentials: Readonly<Record<string, readonly CredentialSource[]>>;
  /** Schemes that a request may omit, because the operator may run the service without them. */
  readonly optionalCredentials?: readonly string[];
}

export interface CredentialSource {
  readonly in: "bearer" | "header" | "query" | "cookie";
  /** Name of the header, query parameter or cookie; absent for bearer tokens. */
  readonly name?: string;
  readonly description: string;
}
