/**
 * Whether a reader of one version understands a writer of another one, by their JSON schemas. `strict` is for requests:
 * every value that the writer may send is valid for the reader. `loose` is for responses: every member that the reader
 * knows is there, with a type that it knows; it ignores other members and new values of an enumeration.
 */
export type Mode = "strict" | "loose";

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

export interface Side {
  readonly schema: Schema | undefined;
  /** Follows a `$ref`. */
  readonly resolve: (reference: string) => Schema;
}

const UPPER_BOUNDS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const LOWER_BOUNDS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
/** A reader with one of these accepts equal writers only. */
const EXACT = ["pattern", "format", "multipleOf", "uniqueItems", "propertyNames"];
const DEPTH_MAX = 30;

/** What the reader would not understand, by JSON path. */
export function misunderstandings(writer: Side, reader: Side, mode: Mode, path = ""): readonly string[] {
  if (path.split("/").length > DEPTH_MAX) return [];
  const written = resolved(writer);
  const read = resolved(reader);
  const compare = (one: Schema | undefined, other: Schema | undefined, at = path) =>
    misunderstandings({ ...writer, schema: one }, { ...reader, schema: other }, mode, at);
  if (JSON.stringify(written) === JSON.stringify(read) && !JSON.stringify(written).includes("$ref")) return [];
  const variants = variantsOf(written);
  if (variants !== null) return variants.flatMap((variant) => compare(variant, read));
  const accepted = variantsOf(read);
  if (accepted !== null) {
    const found = accepted.map((variant) => compare(written, variant));
    // The variant with the fewest issues explains most.
    return found.reduce((best, issues) => (issues.length < best.length ? issues : best));
  }
  const types = typesOf(read);
  const unknown = typesOf(written).filter(
    (type) => !types.includes(type) && !(type === "integer" && types.includes("number")),
  );
  if (types.length > 0 && (unknown.length > 0 || typesOf(written).length === 0))
    return [`${path || "/"}: ${unknown.join(", ") || "any type"} instead of ${types.join(", ")}`];
  return [
    ...(mode === "strict" ? narrowed(written, read, path) : []),
    ...membersOf(written, read, { mode, path, compare }),
    ...(written.items !== undefined && read.items !== undefined
      ? compare(written.items, read.items, `${path}/[]`)
      : []),
  ];
}

function resolved({ schema = {}, resolve }: Side): Schema {
  return schema.$ref === undefined ? schema : resolve(schema.$ref);
}

/** `anyOf`, or a list of types, as alternatives. */
function variantsOf(schema: Schema): readonly Schema[] | null {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants;
  const { type } = schema;
  return Array.isArray(type) && type.length > 1 ? type.map((one: string) => ({ ...schema, type: one })) : null;
}

function typesOf({ type, enum: values, const: value, properties }: Schema): readonly string[] {
  if (type !== undefined) return [type].flat();
  const examples = values ?? (value === undefined ? [] : [value]);
  if (examples.length === 0) return properties === undefined ? [] : ["object"];
  return [...new Set(examples.map((one) => (one === null ? "null" : typeof one)))];
}

/** Values that the writer may send and the reader refuses. */
function narrowed(written: Schema, read: Schema, path: string): readonly string[] {
  const at = path || "/";
  const bound = (keyword: string, isNarrower: (ours: number, theirs: number) => boolean) => {
    const ours = read[keyword];
    const theirs = written[keyword];
    const isRefused = typeof ours === "number" && (typeof theirs !== "number" || isNarrower(ours, theirs));
    return isRefused ? [`${at}: ${keyword} ${JSON.stringify(theirs ?? null)} is now ${ours}`] : [];
  };
  const valuesOf = ({ enum: values, const: value }: Schema) => values ?? (value === undefined ? null : [value]);
  const accepted = valuesOf(read);
  const sent = valuesOf(written);
  const refused = sent?.filter((value) => !accepted?.includes(value)) ?? ["any value"];
  return [
    ...UPPER_BOUNDS.flatMap((keyword) => bound(keyword, (ours, theirs) => ours < theirs)),
    ...LOWER_BOUNDS.flatMap((keyword) => bound(keyword, (ours, theirs) => ours > theirs)),
    ...(accepted === null || refused.length === 0 ? [] : [`${at}: ${refused.join(", ")} is refused`]),
    // A finite list of values needs no pattern.
    ...EXACT.filter(
      (keyword) => sent === null && read[keyword] !== undefined && !isSame(read[keyword], written[keyword]),
    ).map(
      (keyword) =>
        `${at}: ${keyword} ${JSON.stringify(written[keyword] ?? null)} is now ${JSON.stringify(read[keyword])}`,
    ),
  ];
}

interface Comparison {
  readonly mode: Mode;
  readonly path: string;
  readonly compare: (one: Schema | undefined, other: Schema | undefined, at: string) => readonly string[];
}

function membersOf(written: Schema, read: Schema, { mode, path, compare }: Comparison): readonly string[] {
  const members = Object.entries(written.properties ?? {});
  const known = read.properties ?? {};
  const missing = (read.required ?? []).filter((name) => !(written.required ?? []).includes(name));
  const gone = Object.keys(known).filter(
    (name) => written.properties?.[name] === undefined && otherOf(written) === null,
  );
  return [
    ...missing.map((name) => `${path}/${name}: required, and not always sent`),
    ...(mode === "loose" ? gone.filter((name) => !missing.includes(name)).map((name) => `${path}/${name}: gone`) : []),
    ...members.flatMap(([name, schema]) => {
      const target = known[name] ?? otherOf(read);
      if (target !== null) return compare(schema, target, `${path}/${name}`);
      return mode === "strict" && read.additionalProperties === false ? [`${path}/${name}: refused`] : [];
    }),
    ...mapOf(written, read, (one, other) => compare(one, other, `${path}/*`)),
  ];
}

function mapOf(written: Schema, read: Schema, compare: (one: Schema, other: Schema) => readonly string[]) {
  const one = otherOf(written);
  const other = otherOf(read);
  return one === null || other === null ? [] : compare(one, other);
}

/** The schema of members without a name of their own. */
function otherOf({ additionalProperties, patternProperties }: Schema): Schema | null {
  const [pattern] = Object.values(patternProperties ?? {});
  return pattern ?? (typeof additionalProperties === "object" ? additionalProperties : null);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
