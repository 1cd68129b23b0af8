/**
 * What is wrong with a body, in sentences for whoever wrote it. Where a schema has branches (text or an object, a value or null), only
 * the faults of those that were meant are told: of an object with one bad member nobody wants to hear that it is not null.
 */
import type { ErrorObject } from "ajv";
import type { Fault } from "@triptych/contracts";
import { ISSUES_MAX } from "./faults.ts";
import { nearest } from "./nearest.ts";
import { numberBounds } from "./number-bounds.ts";

/** Of one body, before branches of unions are taken out: their number of comparisons grows with the square of it. */
const ERRORS_MAX = 500;

type JsonSchema = Readonly<Record<string, unknown>>;

/** `errors`: of a check that was compiled with `verbose` and `allErrors`. */
export function bodyFaults(errors: readonly ErrorObject[]): readonly Fault[] {
  const bounded = errors.slice(0, ERRORS_MAX);
  let left: readonly ErrorObject[] = bounded;
  const unions = bounded.filter(({ keyword }) => keyword === "anyOf");
  for (const union of unions) left = withoutBranches(left, union);
  return left.slice(0, ISSUES_MAX).map((error) => faultOf(error));
}

/** The innermost unions come first, so an outer one finds them settled. */
function withoutBranches(errors: readonly ErrorObject[], union: ErrorObject): readonly ErrorObject[] {
  const branches = Array.isArray(union.schema) ? union.schema : [];
  const inside = branches.map((_, place) => errors.filter((error) => isOf(error, `${union.schemaPath}/${place}/`)));
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

function isOf({ schemaPath }: ErrorObject, place: string): boolean {
  return schemaPath.startsWith(place);
}

/** The value as a whole is none of this branch, or a member that tells branches apart says so. */
function isOther(error: ErrorObject, place: string): boolean {
  const { keyword, instancePath } = error;
  return (instancePath === place && ["type", "enum", "const", "anyOf"].includes(keyword)) || isKind(error, place);
}

/** Of a member that has another value in each branch. */
function isKind({ keyword, instancePath }: ErrorObject, place: string): boolean {
  return keyword === "const" && instancePath.slice(0, instancePath.lastIndexOf("/")) === place;
}

/** Without the member that tells branches apart, nobody knows what else is missing. */
function lacksKind({ keyword, instancePath, params, parentSchema }: ErrorObject, place: string): boolean {
  if (keyword !== "required" || instancePath !== place) return false;
  const member = recordOf(parentSchema?.["properties"])[String(params["missingProperty"])];
  return "const" in recordOf(member);
}

function faultOf(error: ErrorObject): Fault {
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

/** The last step of a pointer; that of an entry says nothing without the name of its list. */
function nameOf(pointer: string): string {
  const [last = "", list = ""] = pointer.split("/").toReversed();
  return /^\d+$/.test(last) ? `${list}[${last}]` : last;
}

/** A name as a step of a JSON pointer (RFC 6901). */
function asPointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unknownField({ instancePath, params, parentSchema }: ErrorObject): Fault {
  const name = String(params["additionalProperty"]).slice(0, 60);
  const suggestions = nearest(name, Object.keys(recordOf(parentSchema?.["properties"])), 1);
  const hint = suggestions.length > 0 ? ` Did you mean \`${suggestions[0]}\`?` : "";
  const message = `There is no field \`${name}\`.${hint}`;
  const path = `${instancePath}/${asPointer(name)}`;
  return { path, reason: "unknown_field", message, ...(suggestions.length > 0 && { suggestions }) };
}

const FORMATS = new Map([
  ["email", "an e-mail address, such as you@example.org"],
  ["date-time", "a time, such as 2026-01-31T12:00:00Z"],
  ["date", "a day, such as 2026-01-31"],
  ["uri", "an absolute address, such as https://example.org/"],
]);

function sentenceOf(error: ErrorObject): string {
  const schema = schemaOf(error);
  const limit = String(error.params["limit"]);
  switch (error.keyword) {
    case "minLength":
      return limit === "1" ? "is empty" : `must have at least ${limit} characters`;
    case "maxLength":
      return `may have at most ${limit} characters`;
    case "minItems":
      return limit === "1" ? "is an empty list" : `must have at least ${limit} entries`;
    case "maxItems":
      return `may have at most ${limit} entries`;
    case "uniqueItems":
      return "holds an entry twice";
    case "pattern":
      return "has not the form that it must have";
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
      return `must be ${wanted(schema)}`;
    case "multipleOf":
      return betweenSteps(error.data, Number(error.params["multipleOf"]));
    default:
      return error.message ?? "is not valid";
  }
}

/** Told with the two that are next to what was sent: who meant another unit sees it. */
function betweenSteps(sent: unknown, step: number): string {
  const below = Math.floor(Number(sent) / step) * step;
  return `must be a multiple of ${step}: ${below} or ${below + step}, not ${String(sent)}`;
}

/** The branches of a schema, and theirs; itself where it has none. */
function leavesOf(schema: JsonSchema): readonly JsonSchema[] {
  const branches = schema["anyOf"];
  return Array.isArray(branches) ? branches.flatMap((branch) => leavesOf(recordOf(branch))) : [schema];
}

/** What a schema takes, in words. */
function wanted(schema: JsonSchema): string {
  const branches = leavesOf(schema);
  if (branches.length > 1) return [...new Set(branches.map(wanted))].join(" or ");
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
      return typeof schema["type"] === "string" ? schema["type"] : "of another form";
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
