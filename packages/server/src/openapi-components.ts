/**
 * Converts the contracts' schemas for publication. A schema with a `title` becomes a named component, referenced by
 * `$ref`. A body without a title is named after its operation. Validation uses the original schemas of the contracts.
 */
import { isRecord } from "@triptych/util";

type Json = Readonly<Record<string, unknown>>;

export interface Components {
  /** Returns the published schema, or a reference to it if it has a name. */
  publish(schema: object, name?: string): Json;
  /** Returns a reference to a response that several operations share. */
  publishResponse(name: string, response: object): Json;
  /** The named schemas so far, sorted by name. */
  schemas(): Json;
  /** The shared responses so far, sorted by name. */
  responses(): Json;
}

export function createComponents(): Components {
  const byName = new Map<string, Json>();
  /** Endpoints share schemas: a run is published once, not once per endpoint. */
  const bySchema = new Map<object, Json>();
  const responses = new Map<string, object>();

  function publish(schema: object, name?: string): Json {
    const known = bySchema.get(schema);
    if (known !== undefined) return known;
    const published = named(schema, name);
    bySchema.set(schema, published);
    return published;
  }

  function named(schema: object, name?: string): Json {
    const { title = name, ...content } = { ...schema } as Json;
    const published = withType(inner(asMap(content)));
    if (typeof title !== "string") return published;
    const known = byName.get(title);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(published))
      throw new Error(`Two different schemas have the title ${title}.`);
    byName.set(title, published);
    return { $ref: `#/components/schemas/${title}` };
  }

  function inner(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (SCHEMAS_BY_NAME.has(keyword) && isRecord(value))
          return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, nested(each)]))];
        if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) return [keyword, value.map(nested)];
        return [keyword, SINGLE_SCHEMAS.has(keyword) ? nested(value) : value];
      }),
    );
  }

  const nested = (value: unknown): unknown => (isRecord(value) ? publish(value) : value);

  return {
    publish,
    publishResponse(name, response) {
      responses.set(name, response);
      return { $ref: `#/components/responses/${name}` };
    },
    schemas: () => sortedByName(byName),
    responses: () => sortedByName(responses),
  };
}

function sortedByName(entries: ReadonlyMap<string, object>): Json {
  return Object.fromEntries([...entries].sort(([first], [second]) => (first < second ? -1 : 1)));
}

const SCHEMAS_BY_NAME = new Set(["properties", "patternProperties"]);
const SCHEMA_LISTS = new Set(["allOf", "anyOf", "oneOf"]);
const SINGLE_SCHEMAS = new Set(["additionalProperties", "items", "not", "propertyNames"]);

/** TypeBox describes maps with `patternProperties`, for which most generators produce an untyped object. */
function asMap({ patternProperties, ...schema }: Json): Json {
  if (!isRecord(patternProperties)) return schema;
  const [[pattern, values] = [], ...others] = Object.entries(patternProperties);
  const isMap = others.length === 0 && schema["additionalProperties"] === undefined;
  if (isMap && (pattern === EVERY_NAME || schema["propertyNames"] !== undefined))
    return { ...schema, additionalProperties: values };
  return { ...schema, patternProperties };
}

const EVERY_NAME = "^.*$";

/** Generators for typed languages need `type` next to `enum` and `const`. */
function withType(schema: Json): Json {
  if (schema["type"] !== undefined) return schema;
  const values = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : [];
  const types = [...new Set(values.map(typeOf))];
  if (types.length === 0) return schema;
  return { type: types.length === 1 ? types[0] : types, ...schema };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Number.isInteger(value) ? "integer" : typeof value;
}
