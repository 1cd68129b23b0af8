/**
 * Validates a request against the schemas of its endpoint and collects all issues. Query parameters are text: they are
 * converted for numeric schemas, and split at commas and repetitions for array schemas. Bodies are never coerced.
 */
import type { ErrorObject, ValidateFunction } from "ajv";
import type { Endpoint, ValidationIssue } from "@triptych/contracts";
import { editDistance, isRecord } from "@triptych/util";
import type { TObject } from "typebox";
import { ValidationErrors } from "./validation-errors.ts";
import { checkOf, compileBody, type JsonSchema } from "./schema-checks.ts";
import { nearest } from "./suggest.ts";
import { numberBounds } from "./body-errors.ts";

export interface RawRequestInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** The request target that `query` was parsed from. */
  readonly url?: string;
}

export interface ParsedInput {
  readonly params: Record<string, unknown>;
  /** Valid parameters only; invalid and unknown ones are omitted. */
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  readonly errors: ValidationErrors;
}

/** Without a body schema, a non-empty body is an error; an empty object is accepted. */
const NO_BODY = { type: "object", additionalProperties: false };

/** A POST whose members all have defaults accepts a missing body. */
export function isBodyOptional({
  method,
  body,
  customValidation,
}: Pick<Endpoint, "method" | "body" | "customValidation">): boolean {
  const schema: JsonSchema = { ...body };
  if (method !== "POST" || customValidation === true || schema["type"] !== "object") return false;
  return ["required", "minProperties", "anyOf", "oneOf"].every((demand) => schema[demand] === undefined);
}

export function compileInput(endpoint: Endpoint): (raw: RawRequestInput) => ParsedInput {
  const readQuery = endpoint.query ? compileQuery(endpoint.query) : refuseQuery;
  const schema = endpoint.customValidation
    ? undefined
    : (endpoint.body ?? (endpoint.takesNoBody ? NO_BODY : undefined));
  const checkBody = schema && compileBody(schema);
  const absent = endpoint.takesNoBody || isBodyOptional(endpoint) ? {} : undefined;

  return ({ params, query, body = absent, url = "" }) => {
    const errors = new ValidationErrors();
    const read = {
      params: isRecord(params) ? params : {},
      query: readQuery({ query: isRecord(query) ? query : {}, url }, errors),
      body,
      errors,
    };
    for (const issue of checkBody?.(body) ?? []) errors.add(issue);
    return read;
  };
}

interface RawQuery {
  readonly query: Record<string, unknown>;
  readonly url: string;
}

function refuseQuery({ query }: RawQuery, errors: ValidationErrors): Record<string, unknown> {
  for (const name of Object.keys(query)) errors.add(unknownParameter(name, new Map()));
  return {};
}

function compileQuery(schema: TObject) {
  const required: readonly string[] = schema.required ?? [];
  const parameters = new Map(
    Object.entries<object>(schema.properties).map(([name, schema]) => [
      name,
      { schema: { ...schema }, checkOf: checkOf(schema) },
    ]),
  );
  const parameterNames = namesWithAliases(schema);
  return ({ query, url }: RawQuery, errors: ValidationErrors): Record<string, unknown> => {
    const values: Record<string, unknown> = {};
    for (const name of required)
      if (!Object.hasOwn(query, name))
        errors.add({ path: `?${name}`, reason: "missing", message: `\`${name}\` is missing.` });
    for (const [name, raw] of Object.entries(query)) {
      const parameter = parameters.get(name);
      if (!parameter) {
        errors.add(unknownParameter(name, parameterNames));
        continue;
      }
      const value = readParameter(name, raw, {
        schema: parameter.schema,
        check: parameter.checkOf(),
        url,
        errors,
      });
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
}

interface Parameter {
  readonly schema: JsonSchema;
  readonly check: ValidateFunction;
  readonly url: string;
  readonly errors: ValidationErrors;
}

/** Returns the value, or undefined after recording an issue. */
function readParameter(name: string, raw: unknown, { schema, check, url, errors }: Parameter): unknown {
  if (schema["x-ignored"] === true) return undefined;
  const path = `?${name}`;
  const all = (Array.isArray(raw) ? raw : [raw]).map(String);
  const values = schema["x-repeat"] === "same" ? [...new Set(all)] : all;
  const isList = schema["type"] === "array";
  if (!isList && values.length > 1) {
    errors.add({ path, reason: "repeated", message: `\`${name}\` may appear only once.` });
    return undefined;
  }
  const keepsRepetitions = schema["x-repeat"] === "and";
  const parts = isList ? entriesOf(values.join(",")) : values;
  if (parts.some((part) => part === "")) {
    const remedy = isList ? "Omit it, or remove the empty entry." : "Set a value or omit it.";
    errors.add({ path, reason: "empty", message: `\`${name}\` is empty. ${remedy}` });
    return undefined;
  }
  if (parts.some((part) => part.includes("\0"))) {
    errors.add({ path, reason: "wrong_form", message: `\`${name}\` contains U+0000.` });
    return undefined;
  }
  if (values.some((text) => ESCAPED.test(text)) && !isDecoded(name, url)) {
    const message = `\`${name}\` is not percent-encoded UTF-8: encode é as %C3%A9, and a single % as %25.`;
    errors.add({ path, reason: "wrong_form", message });
    return undefined;
  }
  const value = isList ? parts : readScalar(parts[0], schema);
  if (!check(value)) {
    const error = check.errors?.[0];
    if (error) errors.add(parameterFault(name, value, { error, schema }));
    return undefined;
  }
  return keepsRepetitions ? values.map(entriesOf) : value;
}

function entriesOf(list: string): string[] {
  return list.split(",").map((part) => part.trim());
}

const ESCAPED = /%[0-9a-f]{2}/i;

/** False for text that cannot be decoded, which the parser returns unchanged as if it were the value. */
function isDecoded(name: string, url: string): boolean {
  const pairs = url.slice(url.indexOf("?") + 1).split("&");
  return pairs.every((pair) => !isNamed(pair, name) || isUtf8(pair));
}

function isNamed(pair: string, name: string): boolean {
  const [encodedName] = pair.split("=", 1);
  return (
    encodedName === name ||
    (ESCAPED.test(encodedName) && isUtf8(encodedName) && decodeURIComponent(encodedName) === name)
  );
}

function isUtf8(escaped: string): boolean {
  try {
    decodeURIComponent(escaped);
    return true;
  } catch {
    return false;
  }
}

/** Decimal notation as programs print it. Small numbers can have more digits after the point than a double stores. */
const DECIMAL = /^-?\d{1,15}(\.\d{1,30})?$/;

/** Text becomes a number or a boolean only if a branch of the schema requires it. */
function readScalar(text: string, schema: JsonSchema): unknown {
  const types = branches(schema).map((branch) => branch["type"]);
  if ((types.includes("integer") || types.includes("number")) && DECIMAL.test(text)) return Number(text);
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  // In a URL, a plus means a space, but clients rarely escape the plus in `ld+json`.
  const meant = text.replaceAll(" ", "+");
  return allowedValues(schema)?.includes(meant) ? meant : text;
}

function branches(schema: JsonSchema): JsonSchema[] {
  const union = schema["anyOf"];
  return Array.isArray(union) ? union.filter(isRecord) : [schema];
}

/** Maps each name and alias (`x-aliases`) to the parameter name. */
function namesWithAliases(schema: TObject): ReadonlyMap<string, string> {
  return new Map(
    Object.entries<object>(schema.properties).flatMap(([name, parameter]) => {
      const { "x-aliases": aliases } = parameter as JsonSchema;
      return [name, ...(Array.isArray(aliases) ? aliases.map(String) : [])].map((known) => [known, name] as const);
    }),
  );
}

/** Suggests only names with fewer than half of the letters wrong: `page` is not a misspelling of `tag`. */
function unknownParameter(name: string, names: ReadonlyMap<string, string>): ValidationIssue {
  const shortName = name.slice(0, 60);
  const suggestions = nearest(shortName, names.keys(), 1)
    .filter((candidate) => editDistance(shortName.toLowerCase(), candidate) * 2 < shortName.length)
    .map((candidate) => names.get(candidate) ?? candidate);
  const hint = suggestions.length > 0 ? ` Did you mean \`${suggestions[0]}\`?` : "";
  const message = `Unknown parameter \`${shortName}\`.${hint}`;
  return {
    path: `?${shortName}`,
    reason: "unknown_parameter",
    message,
    ...(suggestions.length > 0 && { suggestions }),
  };
}

/** Longer lists appear only in `allowed`, not in the message. */
const LISTED_MAX = 12;

function parameterFault(
  name: string,
  value: unknown,
  { error, schema }: { error: ErrorObject; schema: JsonSchema },
): ValidationIssue {
  const path = `?${name}`;
  const items = schema["items"];
  const allowed = allowedValues(isRecord(items) ? items : schema);
  if (error.keyword === "enum" && allowed) {
    const wrong = Array.isArray(value) ? value.filter((entry) => !allowed.includes(String(entry))) : [value];
    const suggestions = [...new Set(wrong.flatMap((entry) => nearest(String(entry), allowed, 3)))].slice(0, 3);
    const message =
      allowed.length > LISTED_MAX
        ? unknownValues(name, wrong.map(String), suggestions)
        : `\`${name}\` must be one of ${allowed.join(", ")}.`;
    return { path, reason: "not_allowed", message, allowed, ...(suggestions.length > 0 && { suggestions }) };
  }
  return { path, ...describe(name, { ...error, data: dataOf(value, error) }, schema) };
}

function unknownValues(name: string, wrong: readonly string[], suggestions: readonly string[]): string {
  const listed = wrong.map((value) => value.slice(0, 60)).join(", ");
  const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(", ")}?` : "";
  return `Unknown \`${name}\`: ${listed}.${hint}`;
}

function allowedValues(schema: JsonSchema): string[] | undefined {
  const values = schema["enum"];
  return Array.isArray(values) ? values.map(String) : undefined;
}

function describe(name: string, error: ErrorObject, schema: JsonSchema): { reason: string; message: string } {
  const numeric = branches(schema).find((branch) => branch["type"] === "integer" || branch["type"] === "number");
  if (numeric) {
    const bounds = numberBounds(numeric);
    const inRange = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].includes(error.keyword);
    const literal = branches(schema)
      .map((branch) => branch["const"])
      .find((value) => typeof value === "string");
    const alternative = literal === undefined ? "" : ` or \`${literal}\``;
    return { reason: inRange ? "out_of_range" : "wrong_type", message: `\`${name}\` must be ${bounds}${alternative}.` };
  }
  if (error.keyword === "maxLength")
    return { reason: "too_long", message: `\`${name}\` must have at most ${limitOf(error)} characters.` };
  if (error.keyword === "maxItems")
    return { reason: "too_many", message: `\`${name}\` must have at most ${limitOf(error)} values.` };
  if (error.keyword === "type")
    return { reason: "wrong_type", message: `\`${name}\` must be ${String(error.params["type"])}: true or false.` };
  if (error.keyword === "pattern") return { reason: "wrong_form", message: invalidFormat(name, error, schema) };
  if (error.keyword === "format")
    return { reason: "wrong_form", message: `\`${name}\` must be a valid ${String(error.params["format"])}.` };
  return { reason: "invalid", message: `\`${name}\` ${error.message ?? "is invalid"}.` };
}

/** The list entry that the error is about, or the whole value. */
function dataOf(value: unknown, { instancePath }: ErrorObject): unknown {
  return Array.isArray(value) ? (value[Number(instancePath.slice(1))] as unknown) : value;
}

function invalidFormat(name: string, { data }: ErrorObject, schema: JsonSchema): string {
  const examples = Array.isArray(schema["examples"]) ? schema["examples"].flat().map(String) : [];
  const hint = examples.length === 0 ? "" : `; write it as in ${name}=${examples.join(",")}`;
  return `\`${name}\` has an invalid format: "${String(data).slice(0, 60)}"${hint}.`;
}

function limitOf(error: ErrorObject): string {
  return String(error.params["limit"]);
}
