/**
 * Turns schema errors of a body into readable issues. For unions it reports only the errors of the intended branch:
 * "must be null" does not help for an object with one wrong member.
 */
import type { ErrorObject } from "ajv";
import type { ValidationIssue } from "@triptych/contracts";
import { ISSUES_MAX } from "./validation-errors.ts";
import { nearest } from "./suggest.ts";
import { numberBounds } from "./number-bounds.ts";

/** Errors per body before union branches are removed: that step is quadratic. */
const ERRORS_MAX = 500;

type JsonSchema = Readonly<Record<string, unknown>>;

/** `errors` must come from a validator compiled with `verbose` and `allErrors`. */
export function bodyIssues(errors: readonly ErrorObject[]): readonly ValidationIssue[] {
  const bounded = errors.slice(0, ERRORS_MAX);
  let left: readonly ErrorObject[] = bounded;
  const unions = bounded.filter(({ keyword }) => keyword === "anyOf");
  for (const union of unions) left = withoutBranches(left, union);
  return left.slice(0, ISSUES_MAX).map((error) => errorOf(error));
}

/** Inner unions come first, so that they are resolved before outer ones. */
function withoutBranches(errors: readonly ErrorObject[], union: ErrorObject): readonly ErrorObject[] {
  const branches = Array.isArray(union.schema) ? union.schema : [];
  const inside = branches.map((_, index) => errors.filter((error) => isOf(error, `${union.schemaPath}/${index}/`)));
  const meant = inside.filter((ofBranch) => !ofBranch.some((error) => isOther(error, union.instancePath)));
  const all = inside.flat();
  const others = errors.filter((error) => !all.includes(error));
  const untold = all.find((error) => lacksKind(error, union.instancePath));
  if (untold !== undefined) return [...others.filter((error) => error !== union), untold];
  if (meant.length > 0)
    return errors.filter((error) => error !== union && (!all.includes(error) || meant.flat().includes(error)));
  const kinds = all.filter((error) => isKind(error, union.instancePath));
  if (kinds.length === 0) return others;
  const allowed = { enum: kinds.map(({ params }) => params["allowedValue"]) };
  return [...others.filter((error) => error !== union), { ...kinds[0], keyword: "enum", parentSchema: allowed }];
}

function isOf({ schemaPath }: ErrorObject, prefix: string): boolean {
  return schemaPath.startsWith(prefix);
}

function isOther(error: ErrorObject, pointer: string): boolean {
  const { keyword, instancePath } = error;
  return (instancePath === pointer && ["type", "enum", "const", "anyOf"].includes(keyword)) || isKind(error, pointer);
}

/** True for a member that has a different value in each branch (discriminator). */
function isKind({ keyword, instancePath }: ErrorObject, pointer: string): boolean {
  return keyword === "const" && instancePath.slice(0, instancePath.lastIndexOf("/")) === pointer;
}

function lacksKind({ keyword, instancePath, params, parentSchema }: ErrorObject, pointer: string): boolean {
  if (keyword !== "required" || instancePath !== pointer) return false;
  const member = recordOf(parentSchema?.["properties"])[String(params["missingProperty"])];
  return "const" in recordOf(member);
}

function errorOf(error: ErrorObject): ValidationIssue {
  const { keyword, instancePath, params } = error;
  if (keyword === "additionalProperties") return unknownField(error);
  if (keyword === "required") {
    const missing = String(params["missingProperty"]);
    return { path: `${instancePath}/${asPointer(missing)}`, reason: keyword, message: `\`${missing}\` is missing.` };
  }
  const name = nameOf(instancePath);
  const message = `${name === "" ? "The body" : `\`${name}\``} ${sentenceOf(error)}.`;
  const allowed = keyword === "enum" ? allowedBy(schemaOf(error)) : undefined;
  const reason = keyword === "anyOf" ? "type" : keyword;
  return { path: instancePath, reason, message, ...(allowed !== undefined && { allowed }) };
}

function nameOf(pointer: string): string {
  const [last = "", list = ""] = pointer.split("/").toReversed();
  return /^\d+$/.test(last) ? `${list}[${last}]` : last;
}

/** Escapes a name as a segment of a JSON pointer (RFC 6901). */
function asPointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unknownField({ instancePath, params, parentSchema }: ErrorObject): ValidationIssue {
  const name = String(params["additionalProperty"]).slice(0, 60);
  const suggestions = nearest(name, Object.keys(recordOf(parentSchema?.["properties"])), 1);
  const hint = suggestions.length > 0 ? ` Did you mean \`${suggestions[0]}\`?` : "";
  const message = `Unknown field \`${name}\`.${hint}`;
  const path = `${instancePath}/${asPointer(name)}`;
  return { path, reason: "unknown_field", message, ...(suggestions.length > 0 && { suggestions }) };
}

const FORMATS = new Map([
  ["email", "an email address, such as you@example.org"],
  ["date-time", "a timestamp, such as 2026-01-31T12:00:00Z"],
  ["date", "a date, such as 2026-01-31"],
  ["uri", "an absolute URL, such as https://example.org/"],
]);

function sentenceOf(error: ErrorObject): string {
  const schema = schemaOf(error);
  const limit = String(error.params["limit"]);
  switch (error.keyword) {
    case "minLength":
      return limit === "1" ? "is empty" : `must have at least ${limit} characters`;
    case "maxLength":
      return `must have at most ${limit} characters`;
    case "minItems":
      return limit === "1" ? "must not be empty" : `must have at least ${limit} entries`;
    case "maxItems":
      return `must have at most ${limit} entries`;
    case "uniqueItems":
      return "must not contain duplicates";
    case "pattern":
      return "has an invalid format";
    case "format":
      return `must be ${FORMATS.get(String(error.params["format"])) ?? `a valid ${String(error.params["format"])}`}`;
    case "type":
    case "enum":
    case "const":
    case "anyOf":
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `must be ${describeExpected(schema)}`;
    case "multipleOf":
      return betweenSteps(error.data, Number(error.params["multipleOf"]));
    default:
      return error.message ?? "is invalid";
  }
}

/** Includes the two nearest valid values, which reveals a wrong unit. */
function betweenSteps(sent: unknown, step: number): string {
  const below = Math.floor(Number(sent) / step) * step;
  return `must be a multiple of ${step}: ${below} or ${below + step}, not ${String(sent)}`;
}

/** All leaf branches of a schema, or the schema itself if it has none. */
function leavesOf(schema: JsonSchema): readonly JsonSchema[] {
  const branches = schema["anyOf"];
  return Array.isArray(branches) ? branches.flatMap((branch) => leavesOf(recordOf(branch))) : [schema];
}

function describeExpected(schema: JsonSchema): string {
  const branches = leavesOf(schema);
  if (branches.length > 1) return [...new Set(branches.map(describeExpected))].join(" or ");
  const allowed = allowedBy(schema);
  if (allowed !== undefined) return allowed.length > 1 ? `one of ${allowed.join(", ")}` : allowed[0];
  if ("const" in schema) return JSON.stringify(schema["const"]);
  switch (schema["type"]) {
    case "integer":
    case "number":
      return numberBounds(schema);
    case "string":
      return "text";
    case "boolean":
      return "true or false";
    case "array":
      return "a list";
    case "object":
      return "an object";
    default:
      return typeof schema["type"] === "string" ? schema["type"] : "of another type";
  }
}

function allowedBy(schema: JsonSchema): string[] | undefined {
  const values = schema["enum"];
  return Array.isArray(values) ? values.map(String) : undefined;
}

function schemaOf({ parentSchema }: ErrorObject): JsonSchema {
  return recordOf(parentSchema);
}

function recordOf(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
