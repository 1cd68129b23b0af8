/** The mapping file. Type, validation and messages come from one schema. Reports all errors, each with its JSON pointer. */
import { Type, type Static, type TSchema } from "typebox";
import { Value } from "typebox/value";
import { ITEM_TYPES } from "@triptych/contracts";
import { CRS_NAMES } from "./projection.ts";
import { departementByCode, departementByName, nearestName } from "../reference.ts";

const closed = { additionalProperties: false } as const;
const Column = Type.String({ minLength: 1, description: "the name of a column" });
const By = Type.Enum(["code", "name"], { description: '"code" or "name"' });

const Crs = Type.Enum([...CRS_NAMES]);
const Joined = Type.Object({ join: Type.Array(Column, { minItems: 1 }), with: Type.Optional(Type.String()) }, closed);
const Template = Type.Object({ template: Type.String({ minLength: 1 }) }, closed);
const TextFrom = Type.Union(
  [
    Column,
    Joined,
    Template,
    Type.Object({ first: Type.Array(Type.Union([Column, Joined, Template]), { minItems: 1 }) }, closed),
  ],
  { description: 'a column name, {"first":[...]}, {"join":[...],"with":" "} or {"template":"{column} text"}' },
);
/**
 * Text from one or more columns; a template with an empty column is empty. `{@commune}`: the resolved name, else the
 * code.
 */
export type TextFrom = Static<typeof TextFrom>;

const ListFromObject = Type.Object(
  {
    from: Column,
    split: Type.Optional(Type.String({ minLength: 1 })),
    map: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))),
    prefix: Type.Optional(Type.String({ minLength: 1 })),
    title: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
);
const SingleListFrom = Type.Union([Column, ListFromObject]);
const ListFrom = Type.Union([SingleListFrom, Type.Array(SingleListFrom, { minItems: 1, maxItems: 20 })], {
  description:
    'a column name, {"from":"column","split":";","map":{...},"prefix":"https://...","title":"..."} or a list of these',
});
/**
 * A list from one or more columns. `map` replaces values (null removes one), `prefix` makes a URL of a handle
 * (`@someone`), `title` is a link's title.
 */
export type ListFrom = Static<typeof ListFrom>;
export type ListColumn = Static<typeof ListFromObject>;

const Reference = Type.Object(
  { from: Column, type: Type.Enum([...ITEM_TYPES]), split: Type.Optional(Type.String({ minLength: 1 })) },
  { ...closed, description: '{"from":"column","type":"actor|place|article","split":";"}' },
);
const ExtraColumn = Type.Union([
  Column,
  Type.Object(
    {
      from: Column,
      as: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      type: Type.Optional(Type.Enum(["text", "number", "boolean"])),
    },
    closed,
  ),
]);
export type ExtraColumn = Static<typeof ExtraColumn>;

const Source = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    url: Type.Optional(Type.String({ pattern: "^https?://" })),
    licence: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    retrieved_at: Type.Optional(
      Type.String({
        pattern:
          "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2}))?$",
      }),
    ),
  },
  { ...closed, description: '{"name":"...","url":"https://...","licence":"...","retrieved_at":"2026-11-20"}' },
);
export type ImportSource = Static<typeof Source>;

export const TEXT_FIELDS = [
  "title",
  "summary",
  "description",
  "website",
  "email",
  "phone",
  "licence",
  "created_at",
  "updated_at",
  "siret",
  "legal_form",
  "founded",
  "opening_hours",
  "access",
  "author",
  "published_at",
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

const Constants = Type.Object(
  {
    type: Type.Optional(Type.Enum([...ITEM_TYPES])),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 20 })),
    departement: Type.Optional(Type.String({ minLength: 1 })),
    ...optionalTexts(Type.String({ minLength: 1 })),
  },
  { ...closed, description: 'fixed values: text fields, "type", "tags" (a list), "departement" (code or name)' },
);

const MAPPING_FIELDS = {
  id: Type.Union([Column, Type.Array(Column, { minItems: 1, maxItems: 10 })], {
    description: "a column name or a list of them",
  }),
  ...optionalTexts(TextFrom),
  type: Type.Optional(
    Type.Object(
      { from: Column, map: Type.Record(Type.String(), Type.Enum([...ITEM_TYPES])) },
      { ...closed, description: '{"from":"column","map":{"value":"actor|place|article"}}' },
    ),
  ),
  address: Type.Optional(
    Type.Object(
      { rue: Type.Optional(TextFrom), code_postal: Type.Optional(TextFrom) },
      { ...closed, description: '{"rue":"column","code_postal":"column"}' },
    ),
  ),
  location: Type.Optional(
    Type.Union(
      [
        Type.Object({ lat: Column, lon: Column, crs: Type.Optional(Crs) }, closed),
        Type.Object({ from: Column, order: Type.Enum(["lat,lon", "lon,lat"]), crs: Type.Optional(Crs) }, closed),
        Type.Object({ crs: Crs }, closed),
      ],
      {
        description: `{"lat":"column","lon":"column"}, {"from":"column","order":"lat,lon" | "lon,lat"} or, for projected geometries of GeoJSON, {"crs":"..."}; projected columns need "crs" too (lon is x, lat is y): ${CRS_NAMES.map((name) => `"${name}"`).join(", ")}`,
      },
    ),
  ),
  commune: Type.Optional(
    Type.Object(
      {
        from: Column,
        by: By,
        nom: Type.Optional(Column),
        names: Type.Optional(Type.Record(Type.String(), Type.String())),
      },
      { ...closed, description: '{"from":"column","by":"code" | "name","nom":"column","names":{"75056":"Paris"}}' },
    ),
  ),
  departement: Type.Optional(
    Type.Object(
      { from: Column, by: Type.Enum(["code", "name", "postal_code"]) },
      { ...closed, description: '{"from":"column","by":"code" | "name" | "postal_code"}' },
    ),
  ),
  region: Type.Optional(
    Type.Object({ from: Column, by: By }, { ...closed, description: '{"from":"column","by":"code" | "name"}' }),
  ),
  tags: Type.Optional(ListFrom),
  images: Type.Optional(ListFrom),
  links: Type.Optional(ListFrom),
  same_as: Type.Optional(ListFrom),
  managed_by: Type.Optional(Reference),
  mentions: Type.Optional(Reference),
  const: Type.Optional(Constants),
  extra: Type.Optional(
    Type.Array(ExtraColumn, {
      maxItems: 200,
      description: 'a list of column names or {"from":"column","as":"name","type":"text|number|boolean"}',
    }),
  ),
  source: Type.Optional(Source),
};
export const Mapping = Type.Object(MAPPING_FIELDS, {
  ...closed,
  title: "Mapping",
  description: "which column fills which field",
});
export type Mapping = Static<typeof Mapping>;

export interface MappingIssue {
  readonly path: string;
  readonly message: string;
}

export type ReadMapping = { readonly mapping: Mapping } | { readonly issues: readonly MappingIssue[] };

export function parseMapping(text: string): ReadMapping {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return { issues: [{ path: "", message: `is not JSON: ${error instanceof Error ? error.message : "unreadable"}` }] };
  }
  return readMapping(value);
}

export function readMapping(value: unknown): ReadMapping {
  if (!Value.Check(Mapping, value)) return { issues: issuesOf(value, MAPPING_FIELDS, "a mapping") };
  const { departement } = value.const ?? {};
  const isValid =
    departement === undefined ||
    departementByCode(departement) !== undefined ||
    departementByName(departement) !== undefined;
  return isValid
    ? { mapping: value }
    : { issues: [{ path: "/const/departement", message: `unknown département "${departement}"` }] };
}

export function readSource(
  value: unknown,
): { readonly source: ImportSource } | { readonly issues: readonly MappingIssue[] } {
  if (Value.Check(Source, value)) return { source: value };
  return { issues: issuesOf(value, Source.properties, "a source") };
}

/** Validates field by field, so that errors neither hide nor repeat each other. */
function issuesOf(value: unknown, fields: Readonly<Record<string, TSchema>>, what: string): MappingIssue[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [{ path: "", message: `${what} must be a JSON object` }];
  const unknown = Object.keys(value)
    .filter((key) => !Object.hasOwn(fields, key))
    .map((key) => ({ path: pointer(key), message: unknownField(key, Object.keys(fields)) }));
  const entries = new Map(Object.entries(value));
  const wrong = Object.entries(fields).flatMap(([key, schema]) => {
    if (!entries.has(key)) return Type.IsOptional(schema) ? [] : [{ path: pointer(key), message: "is missing" }];
    return Value.Check(schema, entries.get(key)) ? [] : [fieldFault(key, schema, entries.get(key))];
  });
  return [...unknown, ...wrong];
}

/** The deepest pointer for which the schema is unambiguous. */
function fieldFault(key: string, schema: TSchema, value: unknown): MappingIssue {
  const deepest = Value.Errors(schema, value)
    .filter((error) => error.keyword === "enum" || error.keyword === "type" || error.keyword === "pattern")
    .reduce((longest, error) => (error.instancePath.length > longest.length ? error.instancePath : longest), "");
  const expected =
    "description" in schema && typeof schema.description === "string" ? `; expected: ${schema.description}` : "";
  return { path: pointer(key) + deepest, message: `is invalid${expected}` };
}

function unknownField(key: string, allowed: readonly string[]): string {
  const near = nearestName(key, allowed);
  return near === null ? "is not a mapping field" : `is not a mapping field; did you mean "${near}"?`;
}

function pointer(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function optionalTexts<Schema extends TSchema>(
  schema: Schema,
): Record<TextField, ReturnType<typeof Type.Optional<Schema>>> {
  const optional = Type.Optional(schema);
  return {
    title: optional,
    summary: optional,
    description: optional,
    website: optional,
    email: optional,
    phone: optional,
    licence: optional,
    created_at: optional,
    updated_at: optional,
    siret: optional,
    legal_form: optional,
    founded: optional,
    opening_hours: optional,
    access: optional,
    author: optional,
    published_at: optional,
  };
}
