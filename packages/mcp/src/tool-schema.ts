/**
 * JSON schema of a tool: path parameters, query and body of the endpoint as one flat object. Services validate the values,
 * so the schema only informs the model.
 */
import type { TSchema } from "typebox";
import type { ToolRow } from "./tool-table.ts";

export interface ToolSchema {
  readonly [keyword: string]: unknown;
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

type Location = "params" | "query" | "body";

/** Maps each argument of a tool to its place in the request. */
export function locationsOf({ endpoint, fixed = {}, omitted = [] }: ToolRow): ReadonlyMap<string, Location> {
  const hidden = new Set([...omitted, ...Object.keys(fixed)]);
  const locations = new Map<string, Location>();
  for (const location of ["params", "query", "body"] as const)
    for (const name of Object.keys(propertiesOf(endpoint[location])))
      if (!hidden.has(name)) locations.set(name, location);
  return locations;
}

export function toToolSchema(row: ToolRow): ToolSchema {
  const { endpoint, required = [] } = row;
  const properties: Record<string, object> = {};
  const names = new Set(required);
  for (const [name, location] of locationsOf(row)) {
    const schema = endpoint[location];
    properties[name] = toPlainSchema(propertiesOf(schema)[name]);
    if (requiredOf(schema).includes(name)) names.add(name);
  }
  if (endpoint.idempotent === true) properties[IDEMPOTENCY_KEY] = IDEMPOTENCY_SCHEMA;
  return { type: "object", properties, required: [...names], additionalProperties: false };
}

export const IDEMPOTENCY_KEY = "idempotency_key";
const IDEMPOTENCY_SCHEMA = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  description: "makes a retry safe: a second call with the same key and arguments returns the first result",
};

function propertiesOf(schema: TSchema | undefined): Readonly<Record<string, object>> {
  if (schema === undefined || !("properties" in schema)) return {};
  return schema.properties as Readonly<Record<string, object>>;
}

function requiredOf(schema: TSchema | undefined): readonly string[] {
  if (schema === undefined || !("required" in schema)) return [];
  return schema.required as readonly string[];
}

/**
 * Removes keywords that model APIs reject or ignore: `x-…`, regular expressions with look-behind, and schemas of
 * property names. Adds `type` to string enumerations, because some clients require it.
 */
function toPlainSchema(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key.startsWith("x-") || key === "pattern" || key === "propertyNames") return undefined;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return withPlainKeywords(value);
  }) as object;
}

function withPlainKeywords(schema: object): object {
  const { patternProperties, ...rest } = { patternProperties: undefined, ...schema } as Record<string, unknown>;
  const values = rest["enum"];
  const isTextual = Array.isArray(values) && values.every((value) => typeof value === "string");
  return {
    ...(isTextual && rest["type"] === undefined && { type: "string" }),
    ...rest,
    ...(typeof patternProperties === "object" &&
      patternProperties !== null && { additionalProperties: Object.values(patternProperties)[0] }),
  };
}
