/**
 * Published form of the contracts' schemas. A schema with a `title` becomes a named component and is referenced by
 * `$ref` everywhere; the body of an operation without a title is named by the operation. Validation uses the schemas of
 * the contracts as they are.
 */
import { isRecord } from "@triptych/util";

type Json = Readonly<Record<string, unknown>>;

export interface Components {
  /** A schema of the document: a reference if it has a name. */
  publish(schema: object, name?: string): Json;
  /** A reference to a response that operations share. */
  publishResponse(name: string, response: object): Json;
  /** The named schemas so far, sorted by name. */
  schemas(): Json;
  /** The shared responses so far, sorted by name. */
  responses(): Json;
}

export function createComponents(): Components {
  const byName = new Map<string, Json>();
  /** Contracts share their schemas: a run is published once, not for each of its endpoints. */
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

/** As `patternProperties`, a map of TypeBox is an object without types to most generators. */
function asMap({ patternProperties, ...schema }: Json): Json {
  if (!isRecord(patternProperties)) return schema;
  const [[pattern, values] = [], ...others] = Object.entries(patternProperties);
  const isMap = others.length === 0 && schema["additionalProperties"] === undefined;
  if (isMap && (pattern === EVERY_NAME || schema["propertyNames"] !== undefined))
    return { ...schema, additionalProperties: values };
  return { ...schema, patternProperties };
}

const EVERY_NAME = "^.*$";

/** Generators of typed languages need `type` beside `enum` and `const`. */
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
