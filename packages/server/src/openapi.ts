/**
 * Generates OpenAPI 3.1 from the contracts: published and validating schemas are the same. The text is deterministic.
 */
import {
  problems,
  type EndpointResponse,
  type Endpoint,
  type ProblemCode,
  type ServiceContract,
} from "@triptych/contracts";
import { isBodyOptional } from "./input.ts";

export interface OpenApiOptions {
  /** URL under `servers`; the committed documents use the default port. */
  readonly url: string;
}

export function openApiDocument(contract: ServiceContract, { url }: OpenApiOptions): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of contract.endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(contract, endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: contract.title,
      version: contract.version,
      description: contract.description,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url }],
    paths,
    components: { schemas: { Problem: problemSchema }, securitySchemes: securitySchemes(contract) },
  };
}

/** The text committed under `openapi/`. */
export function openApiText(contract: ServiceContract, options: OpenApiOptions): string {
  return `${JSON.stringify(openApiDocument(contract, options), null, 2)}\n`;
}

function operation(contract: ServiceContract, endpoint: Endpoint): Record<string, unknown> {
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    security: endpoint.auth === null ? [] : security(contract, endpoint.auth),
    parameters: [
      ...parameters("path", endpoint),
      ...parameters("query", endpoint),
      ...(endpoint.idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(endpoint.rawBody && {
      requestBody: {
        required: !endpoint.optionalBody,
        content: { "application/json": { schema: { type: "object" } } },
      },
    }),
    ...(endpoint.body && {
      requestBody: { required: !isBodyOptional(endpoint), content: { "application/json": { schema: endpoint.body } } },
    }),
    responses: bothOf(answers(endpoint), problemResponses(endpoint.problems)),
  };
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "a retry with the same payload runs once and returns the same response, with `Idempotency-Replayed: true`; stored for 24 h",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};

function parameters(location: "path" | "query", endpoint: Endpoint): Record<string, unknown>[] {
  const schema = location === "path" ? endpoint.params : endpoint.query;
  if (!schema) return [];
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = property as Record<string, unknown>;
    const isList = rest["type"] === "array";
    return {
      name,
      in: location,
      required: location === "path" || required.has(name),
      ...(description !== undefined && { description }),
      // A comma list may also repeat; `form` without `explode` is the recommended form.
      ...(isList && { style: "form", explode: rest["x-repeat"] === "and" }),
      schema: rest,
    };
  });
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}
type Responses = Readonly<Record<string, Response>>;

/** A status may have two formats: 422 is a problem, or validation issues in the format of a third-party client. */
function bothOf(responses: Responses, problem: Responses): Responses {
  const shared = Object.entries(responses).flatMap(([status, entry]) => {
    const other = problem[status];
    if (other === undefined) return [];
    const description = `${entry.description}; ${other.description}`;
    return [[status, { ...entry, description, content: { ...entry.content, ...other.content } }] as const];
  });
  return { ...responses, ...problem, ...Object.fromEntries(shared) };
}

function answers(endpoint: Endpoint): Responses {
  return Object.fromEntries(Object.entries(endpoint.answers).map(([status, answer]) => [status, response(answer)]));
}

function response(answer: EndpointResponse): Response {
  const media = answer.media ?? ["application/json"];
  const content =
    answer.schema &&
    Object.fromEntries(
      media.map((type, index) => {
        const schema = index === 0 ? answer.schema : answer.schemas?.[type];
        return [type, schema === undefined ? {} : { schema }];
      }),
    );
  const headers = answer.headers && headersOf(answer.headers);
  return { description: answer.description, ...(headers && { headers }), ...(content && { content }) };
}

function headersOf(described: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(described).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );
}

/** Machine-readable payment instructions. */
const PAYMENT_HEADERS = {
  Link: '`rel="payment"`: where to pay; `rel="describedby"`: the price list',
  "PAYMENT-REQUIRED": "the same for agents: an x402 object, version 2, base64",
};

/** Several problems may share a status: one response per status, listing its codes. */
function problemResponses(codes: readonly ProblemCode[]): Responses {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of [...codes, "internal" as const])
    byStatus.set(problems[code].status, [...(byStatus.get(problems[code].status) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => `\`${code}\`: ${problems[code].title}`).join("; "),
        ...(status === 402 && { headers: headersOf(PAYMENT_HEADERS) }),
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  );
}

/** Alternatives; `{}` means that a request without a credential is valid too. */
function security(contract: ServiceContract, scheme: string): Record<string, unknown>[] {
  const carriers = (contract.credentials[scheme] ?? []).map((carrier) => ({ [`${scheme}_${carrier.in}`]: [] }));
  return contract.optionalCredentials?.includes(scheme) ? [...carriers, {}] : carriers;
}

function securitySchemes(contract: ServiceContract): Record<string, unknown> {
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

const problemSchema = {
  title: "Problem",
  description: "RFC 9457 problem details. `code` is from the catalog; further members depend on it.",
  type: "object",
  required: ["type", "title", "status", "code", "detail", "instance", "request_id"],
  properties: {
    type: { type: "string", format: "uri", description: "URL of a page that explains the problem" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", enum: Object.keys(problems) },
    detail: { type: "string" },
    instance: { type: "string" },
    request_id: { type: "string" },
    errors: {
      type: "array",
      description: "all issues of the request",
      items: {
        type: "object",
        required: ["path", "message", "reason"],
        properties: {
          path: { type: "string", description: "JSON pointer, `?parameter` or `header:Name`" },
          message: { type: "string" },
          reason: { type: "string" },
          allowed: { type: "array", items: { type: "string" } },
          suggestions: { type: "array", items: { type: "string" } },
        },
      },
    },
  },
};
