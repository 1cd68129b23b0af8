/**
 * Generates OpenAPI 3.1 from the contracts, so the published schemas are those that validate requests. The text is
 * deterministic.
 */
import {
  problems,
  type EndpointResponse,
  type Endpoint,
  type ProblemCode,
  type ServiceContract,
} from "@triptych/contracts";
import { isBodyOptional } from "./input.ts";
import { readExamples, type OperationExample, type OperationExamples } from "./openapi-examples.ts";
import { createComponents, type Components } from "./openapi-components.ts";
import { problemSchema } from "./openapi-problem.ts";

export interface OpenApiOptions {
  /** URL under `servers`; the committed documents use the default port. */
  readonly url: string;
}

type Json = Readonly<Record<string, unknown>>;

export function openApiDocument(contract: ServiceContract, { url }: OpenApiOptions): Json {
  const components = createComponents();
  components.publish(problemSchema);
  const operations: Operations = { contract, components, examples: readExamples(contract.name) };
  const paths: Record<string, Json> = {};
  for (const endpoint of contract.endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(endpoint, operations),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: contract.title,
      version: contract.version,
      description: contract.description,
      contact: { name: "The operator of this installation", url },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url, description: "This installation" }],
    tags: (contract.tags ?? []).map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas(),
      responses: components.responses(),
      securitySchemes: securitySchemes(contract),
    },
  };
}

/** The text committed under `openapi/`. */
export function openApiText(contract: ServiceContract, options: OpenApiOptions): string {
  return `${JSON.stringify(openApiDocument(contract, options), null, 2)}\n`;
}

interface Operations {
  readonly contract: ServiceContract;
  readonly components: Components;
  readonly examples: OperationExamples;
}

function operation(endpoint: Endpoint, { contract, components, examples }: Operations): Json {
  const example = examples[endpoint.id];
  const tag = tagOf(contract, endpoint);
  return {
    operationId: endpoint.id,
    ...(tag !== undefined && { tags: [tag] }),
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    security: endpoint.auth === null ? [] : security(contract, endpoint.auth),
    parameters: [
      ...parameters("path", endpoint, components),
      ...parameters("query", endpoint, components),
      ...(endpoint.idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...requestBody(endpoint, components, example),
    responses: bothOf(answers(endpoint, components, example), problemResponses(endpoint.problems), components),
  };
}

/** The tag with the longest prefix of the endpoint's path. */
export function tagOf({ tags = [] }: ServiceContract, { path }: Endpoint): string | undefined {
  const matches = tags.flatMap(({ name, paths }) =>
    paths
      .filter((start) => path === start || path.startsWith(`${start}/`))
      .map((start) => ({ name, length: start.length })),
  );
  return matches.sort((first, second) => second.length - first.length)[0]?.name;
}

function requestBody(endpoint: Endpoint, components: Components, example?: OperationExample): Json {
  const { body, id, rawBody, streamBody, optionalBody, requestMedia } = endpoint;
  const value = example?.request === undefined ? {} : { example: example.request };
  if (rawBody || streamBody) {
    const content =
      requestMedia === undefined
        ? { "application/json": { schema: { type: "object" }, ...value } }
        : { [requestMedia]: { schema: BYTES } };
    return { requestBody: { required: !optionalBody, content } };
  }
  if (body === undefined) return {};
  const schema = components.publish(body, nameOf(id, "Request", body));
  return {
    requestBody: { required: !isBodyOptional(endpoint), content: { "application/json": { schema, ...value } } },
  };
}

const BYTES = { type: "string", format: "binary" };

/** Name for a body without a title; text bodies have none. */
function nameOf(id: string, suffix: string, schema: object): string | undefined {
  const isObject = "type" in schema && schema.type === "object";
  return isObject ? `${id.charAt(0).toUpperCase()}${id.slice(1)}${suffix}` : undefined;
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "makes retries safe: requests with the same key and payload run once and return the same response, with `Idempotency-Replayed: true`. Stored for 24 h",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};

function parameters(location: "path" | "query", endpoint: Endpoint, components: Components): Json[] {
  const schema = location === "path" ? endpoint.params : endpoint.query;
  if (!schema) return [];
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = property as Json;
    const isList = rest["type"] === "array";
    return {
      name,
      in: location,
      required: location === "path" || required.has(name),
      ...(description !== undefined && { description }),
      // A comma-separated list may also be repeated; `form` without `explode` is the recommended style.
      ...(isList && { style: "form", explode: rest["x-repeat"] === "and" }),
      schema: components.publish(rest),
    };
  });
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}
type Responses = Readonly<Record<string, Response>>;

/**
 * Problems are references to shared responses. A status can have two formats: 422 is a problem, or validation issues in
 * the format of a third-party client.
 */
function bothOf(responses: Responses, problemsByStatus: ProblemResponses, components: Components): Json {
  const shared = Object.entries(problemsByStatus).map(([status, { name, response: problem }]) => {
    const own = responses[status];
    if (own === undefined) return [status, components.publishResponse(name, problem)];
    const description = `${own.description}; ${problem.description}`;
    return [status, { ...own, description, content: { ...own.content, ...problem.content } }];
  });
  return { ...responses, ...Object.fromEntries(shared) };
}

function answers(endpoint: Endpoint, components: Components, example?: OperationExample): Responses {
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([status, answer]) => {
      const name = nameOf(endpoint.id, "Response", { ...answer.schema });
      return [status, response(answer, { components, name, ...(example?.status === Number(status) && { example }) })];
    }),
  );
}

interface ResponseParts {
  readonly components: Components;
  readonly name: string | undefined;
  readonly example?: OperationExample;
}

function response(answer: EndpointResponse, { components, name, example }: ResponseParts): Response {
  const media = answer.media ?? ["application/json"];
  const content =
    answer.schema &&
    Object.fromEntries(
      media.map((type, index) => {
        const schema = (index === 0 ? answer.schema : answer.schemas?.[type]) ?? TEXT;
        const value = example?.content?.[type] === undefined ? {} : { example: example.content[type] };
        return [type, { schema: components.publish(schema, index === 0 ? name : undefined), ...value }];
      }),
    );
  const headers = answer.headers && headersOf(answer.headers);
  return { description: answer.description, ...(headers && { headers }), ...(content && { content }) };
}

/** Schema of additional media types that have none in the contract. */
const TEXT = { type: "string" };

function headersOf(described: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(described).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );
}

/** Machine-readable payment instructions. */
const PAYMENT_HEADERS = {
  Link: '`rel="payment"`: where to pay; `rel="describedby"`: the price list',
  "PAYMENT-REQUIRED": "payment instructions for agents: an x402 object, version 2, base64",
  "WWW-Authenticate": "payment instructions as a challenge of the `Payment` scheme (Machine Payments Protocol)",
};

type ProblemResponses = Readonly<Record<string, { readonly name: string; readonly response: Response }>>;

/** Several problems may share a status: there is one response per status, which lists its codes, also in its name. */
function problemResponses(codes: readonly ProblemCode[]): ProblemResponses {
  const byStatus = new Map<number, ProblemCode[]>();
  // Sorted, so that endpoints with the same problems share a response, whatever the order in which they list them.
  for (const code of [...codes, "internal" as const].sort())
    byStatus.set(problems[code].status, [...(byStatus.get(problems[code].status) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        name: group.map(pascalCase).join("Or"),
        response: {
          description: group.map((code) => `\`${code}\`: ${problems[code].title}`).join("; "),
          ...(status === 402 && { headers: headersOf(PAYMENT_HEADERS) }),
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    ]),
  );
}

function pascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The entries are alternatives; `{}` means that requests without a credential are valid too. */
function security(contract: ServiceContract, scheme: string): Json[] {
  const carriers = (contract.credentials[scheme] ?? []).map((carrier) => ({ [`${scheme}_${carrier.in}`]: [] }));
  return contract.optionalCredentials?.includes(scheme) ? [...carriers, {}] : carriers;
}

function securitySchemes(contract: ServiceContract): Json {
  return Object.fromEntries(
    Object.entries(contract.credentials).flatMap(([scheme, carriers]) =>
      carriers.map((carrier) => [
        `${scheme}_${carrier.in}`,
        carrier.in === "bearer"
          ? { type: "http", scheme: "bearer", description: carrier.description }
          : { type: "apiKey", in: carrier.in, name: carrier.name, description: carrier.description },
      ]),
    ),
  );
}
