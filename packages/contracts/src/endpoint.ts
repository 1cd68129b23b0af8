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
  /** Schemas of the other media types, by media type; `schema` describes the first one. */
  readonly schemas?: Readonly<Record<string, TSchema>>;
  /** Descriptions of the headers that only this response has, by header name. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Endpoint {
  /** The `operationId` in OpenAPI, unique per service. */
  readonly id: string;
  readonly method: Method;
  /** OpenAPI path template: `/api/item/{type}/{slug}`. Values outside a parameter's `enum` are 404. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Name of the service's credential scheme, or null for endpoints that ignore credentials. */
  readonly auth: string | null;
  readonly params?: TObject;
  /**
   * Array parameters are comma-separated and may be repeated. Repetitions are merged, or kept as separate lists with
   * `x-repeat: "and"`. Other parameters appear once; `x-repeat: "same"` allows repetitions of the same value.
   * Parameters with `x-ignored` are not validated. `x-aliases` lists names from other APIs, used only to suggest the
   * right parameter.
   */
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The handler forwards the body, and the service behind it validates it. The schema is still published. */
  readonly customValidation?: true;
  /**
   * Honors `Idempotency-Key` (1-255 visible ASCII characters): requests with the same key and payload run once and get
   * the same response.
   */
  readonly idempotent?: true;
  readonly bodyLimit?: number;
  /** Rejects a non-empty body. By default, an endpoint without a body schema accepts any body. */
  readonly takesNoBody?: true;
  /** The handler receives the body as raw bytes of any media type, for example to verify a signature over them. */
  readonly rawBody?: true;
  /** With `rawBody`: the body may be omitted. */
  readonly optionalBody?: true;
  /**
   * With `rawBody` or `streamBody`: the documented media type of the body, if it is not JSON. Other types are accepted
   * too.
   */
  readonly requestMedia?: string;
  /** The handler reads and limits the body as a stream, so that large bodies are not buffered. */
  readonly streamBody?: true;
  readonly answers: Readonly<Record<number, EndpointResponse>>;
  readonly problems: readonly ProblemCode[];
  /** Paths, with their query string, that return 200 without further input. */
  readonly examples?: readonly string[];
}

/** Preserves the literal types of an endpoint for `ParamsOf` and the other type helpers. */
export function defineEndpoint<const E extends Endpoint>(endpoint: E): E {
  return endpoint;
}

export type ParamsOf<E extends Endpoint> = E["params"] extends TSchema ? Static<E["params"]> : object;
export type QueryOf<E extends Endpoint> = E["query"] extends TSchema ? Static<E["query"]> : object;
export type BodyOf<E extends Endpoint> = E["customValidation"] extends true
  ? unknown
  : E["body"] extends TSchema
    ? Static<E["body"]>
    : undefined;
/** The published schema of a body, also where the handler does not validate it. */
export type DescribedBodyOf<E extends Endpoint> = E["body"] extends TSchema ? Static<E["body"]> : object;
/** Body of the 200 response, or of the 201 or 202 response if there is no 200. */
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
  /** Where a request can send the credential of each scheme in `Endpoint.auth`. One of the places is enough. */
  readonly credentials: Readonly<Record<string, readonly CredentialSource[]>>;
  /** Schemes whose credential a request may omit. */
  readonly optionalCredentials?: readonly string[];
  /** Groups of endpoints in the documentation. */
  readonly tags?: readonly ContractTag[];
}

export interface ContractTag {
  readonly name: string;
  readonly description: string;
  /** Path prefixes of its endpoints. If several tags match, the longest prefix wins. */
  readonly paths: readonly string[];
}

export interface CredentialSource {
  readonly in: "bearer" | "header" | "query" | "cookie";
  /** Name of the header, query parameter or cookie; absent for bearer tokens. */
  readonly name?: string;
  readonly description: string;
}
