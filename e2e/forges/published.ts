/** Validates requests and responses against GitHub's published OpenAPI document. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

interface Operation {
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Description {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const file = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");
const description: Description = JSON.parse(readFileSync(file, "utf8"), (_name, value: unknown) => withNull(value));
// OpenAPI 3.0 schemas are almost JSON Schema: unknown keywords are ignored.
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true, logger: false });
addFormats.default(ajv);
ajv.addSchema(description, "github");

export interface HttpExchange {
  readonly method: string;
  /** Relative to the API's root, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly sent: unknown;
  readonly status: number;
  readonly body: unknown;
}

/** All mismatches between an exchange and the document. */
export function faultsOf({ method, path, query, sent, status, body }: HttpExchange): readonly string[] {
  const template = templateOf(path);
  if (template === null) return [`GitHub has no ${path}`];
  const at = ["paths", template, method.toLowerCase()];
  const operation = description.paths[template]?.[method.toLowerCase()];
  if (operation === undefined) return [`GitHub has no ${method} ${template}`];
  if (!(String(status) in operation.responses)) return [`${method} ${template} does not document status ${status}`];
  const response = resolved([...at, "responses", String(status)]);
  const parameterNames = (operation.parameters ?? []).map((parameter) =>
    memberOf(partOf(referenceOf(parameter)) ?? parameter, "name"),
  );
  const faults = [
    ...[...query.keys()]
      .filter((name) => !parameterNames.includes(name))
      .map((name) => `${template} has no parameter ?${name}`),
    ...check([...response, "content", "application/json", "schema"], body, "answer"),
  ];
  if (sent === undefined) return faults;
  return [
    ...faults,
    ...check([...resolved([...at, "requestBody"]), "content", "application/json", "schema"], sent, "request"),
  ];
}

export const version = description.info.version;

/** Ajv rejects `nullable` without a `type`, as in `{nullable, anyOf}`. */
function withNull(schema: unknown): unknown {
  const values = memberOf(schema, "enum");
  // The document leaves null out of nullable enumerations; a running check run, for example, has `conclusion: null`.
  if (memberOf(schema, "nullable") === true && Array.isArray(values) && !values.includes(null))
    return withNull({ ...Object(schema), enum: [...(values as readonly unknown[]), null] });
  if (memberOf(schema, "nullable") !== true || memberOf(schema, "type") !== undefined) return schema;
  const { nullable: _, ...rest } = { nullable: true, ...Object(schema) };
  return { anyOf: [rest, { type: "null" }] };
}

/** The matching route with the most fixed segments; a parameter matches one segment. */
function templateOf(path: string): string | null {
  const parts = path.split("/");
  const fits = Object.keys(description.paths).filter((template) => {
    const templateParts = template.split("/");
    return (
      templateParts.length === parts.length &&
      templateParts.every((part, index) => part.startsWith("{") || part === parts[index])
    );
  });
  const fixed = (template: string) => template.split("/").filter((part) => !part.startsWith("{")).length;
  return fits.toSorted((a, b) => fixed(b) - fixed(a))[0] ?? null;
}

/** Follows a `$ref` within the document. */
function resolved(path: readonly string[]): readonly string[] {
  return referenceOf(partOf(path)) ?? path;
}

function partOf(path: readonly string[] | null): unknown {
  if (path === null) return undefined;
  let here: unknown = description;
  for (const part of path) here = memberOf(here, part);
  return here;
}

/** The target of a `$ref`, or null. */
function referenceOf(value: unknown): readonly string[] | null {
  const reference = memberOf(value, "$ref");
  return typeof reference === "string" ? reference.slice(2).split("/") : null;
}

const compiled = new Map<string, ValidateFunction>();

function check(path: readonly string[], value: unknown, what: string): readonly string[] {
  const pointer = path
    .map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"))
    .map(encodeURIComponent)
    .join("/");
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `github#/${pointer}` });
  compiled.set(pointer, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message ?? "is wrong"}`);
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
