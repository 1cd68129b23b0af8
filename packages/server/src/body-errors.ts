/**
 * Turns schema errors of a body into readable issues. For unions, it reports only the errors of the intended branch:
 * for an object with one wrong member, "must be null" would not help.
 */
import type { ErrorObject } from "ajv";
import type { ValidationIssue } from "@triptych/contracts";
import { isRecord } from "@triptych/util";
import { ISSUES_MAX } from "./validation-errors.ts";
import { nearest } from "./suggest.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** `errors` must come from a validator compiled with `verbose` and `allErrors`. */
export function bodyIssues(errors: readonly ErrorObject[]): readonly ValidationIssue[] {
  const meant: ErrorObject[] = [];
  for (const error of errors) {
    // The errors of the branches directly precede the error of their union, inner unions first.
    const inside = isUnion(error) ? meant.splice(startOf(meant, error)) : [];
    // The error of the name itself precedes this one.
    if (error.keyword !== "propertyNames") meant.push(...(isUnion(error) ? ofUnion(error, inside) : [error]));
  }
  const issues: ValidationIssue[] = [];
  for (const error of meant) {
    if (issues.length >= ISSUES_MAX) break;
    issues.push(...issuesOf(error));
  }
  return issues.slice(0, ISSUES_MAX);
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

function startOf(errors: readonly ErrorObject[], { schemaPath, instancePath }: ErrorObject): number {
  return (
    1 +
    errors.findLastIndex(
      (error) => !isWithin(error.schemaPath, schemaPath) || !isWithin(error.instancePath, instancePath),
    )
  );
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

function ofUnion(union: ErrorObject, inside: readonly ErrorObject[]): readonly ErrorObject[] {
  if (union.keyword === "oneOf") return [union];
  const pointer = union.instancePath;
  const withoutKind = inside.find((error) => lacksKind(error, pointer));
  if (withoutKind !== undefined) return [withoutKind];
  const branches = branchesOf(union)
    .map((_, index) => inside.filter(({ schemaPath }) => schemaPath.startsWith(`${union.schemaPath}/${index}/`)))
    .filter((branch) => !branch.some((error) => isOther(error, pointer)) && !isOtherList(branch, union));
  if (branches.length > 0) return nearestBranch(branches, pointer);
  const kinds = inside.filter((error) => isKind(error, pointer));
  if (kinds.length === 0) return [union];
  const allowed = { enum: kinds.map(({ params }) => params["allowedValue"]) };
  return [{ ...kinds[0], keyword: "enum", parentSchema: allowed }];
}

function branchesOf({ schema }: ErrorObject): readonly unknown[] {
  return Array.isArray(schema) ? schema : [];
}

/** The branch that knows most of the sent fields. */
function nearestBranch(branches: readonly (readonly ErrorObject[])[], pointer: string): readonly ErrorObject[] {
  const unknown = branches.map((branch) => branch.filter((error) => isUnknownField(error, pointer)).length);
  return branches[unknown.indexOf(Math.min(...unknown))];
}

function isUnknownField({ keyword, instancePath }: ErrorObject, pointer: string): boolean {
  return keyword === "additionalProperties" && instancePath === pointer;
}

function isOther(error: ErrorObject, pointer: string): boolean {
  const { keyword, instancePath } = error;
  return (instancePath === pointer && ["type", "enum", "const", "anyOf"].includes(keyword)) || isKind(error, pointer);
}

/** True if the branch expects a list of objects, but every entry has another type, such as text. */
function isOtherList(branch: readonly ErrorObject[], { instancePath, data }: ErrorObject): boolean {
  const wrong = new Set(branch.filter(({ keyword }) => keyword === "type").map((error) => error.instancePath));
  return (
    Array.isArray(data) &&
    data.length > 0 &&
    data.every((entry, index) => isRecord(entry) && wrong.has(`${instancePath}/${index}`))
  );
}

/** True for a discriminator: a member that has a different value in each branch. */
function isKind({ keyword, instancePath }: ErrorObject, pointer: string): boolean {
  return keyword === "const" && instancePath.slice(0, instancePath.lastIndexOf("/")) === pointer;
}

function lacksKind({ keyword, instancePath, params, parentSchema }: ErrorObject, pointer: string): boolean {
  if (keyword !== "required" || instancePath !== pointer) return false;
  const member = recordOf(parentSchema?.["properties"])[String(params["missingProperty"])];
  return "const" in recordOf(member);
}

function issuesOf(error: ErrorObject): readonly ValidationIssue[] {
  const { keyword, instancePath, params, propertyName } = error;
  if (keyword === "additionalProperties") return [unknownField(error)];
  if (keyword === "required") return [missing(instancePath, [String(params["missingProperty"])])];
  // Object keywords accept all other types, whose type issue is reported anyway.
  if (keyword === "oneOf") return isRecord(error.data) ? [notExactlyOne(error)] : [];
  const repeated = keyword === "uniqueItems" ? repeatedEntries(error) : [];
  if (repeated.length > 0) return repeated;
  const path = propertyName === undefined ? instancePath : `${instancePath}/${asPointer(propertyName.slice(0, 60))}`;
  const name = nameOf(path);
  const message = `${name === "" ? "The body" : `\`${name}\``} ${sentenceOf(error)}.`;
  const allowed = keyword === "enum" ? allowedBy(schemaOf(error)) : undefined;
  const suggestions = typeof error.data === "string" && allowed !== undefined ? nearest(error.data, allowed, 1) : [];
  const reason = keyword === "anyOf" ? "type" : keyword;
  return [
    {
      path,
      reason,
      message,
      ...(allowed !== undefined && { allowed }),
      ...(suggestions.length > 0 && { suggestions }),
    },
  ];
}

function missing(parent: string, names: readonly string[]): ValidationIssue {
  const [first] = names;
  const message = `${names.map((name) => `\`${name}\``).join(" or ")} is missing.`;
  return { path: `${parent}/${asPointer(first)}`, reason: "required", message };
}

/** Issue for a `oneOf` whose branches require one member each, as in "exactly one of `state` and `messages`". */
function notExactlyOne(error: ErrorObject): ValidationIssue {
  const { instancePath, params } = error;
  const names = branchesOf(error)
    .flatMap((branch) => recordOf(branch)["required"])
    .map(String);
  const passing: unknown = params["passingSchemas"];
  if (!Array.isArray(passing)) return missing(instancePath, names);
  const message = `Send ${names.map((name) => `\`${name}\``).join(" or ")}, not both.`;
  return { path: `${instancePath}/${asPointer(names[Number(passing[1])])}`, reason: "not_together", message };
}

/** One issue for every entry that repeats an earlier one. Objects are not compared. */
function repeatedEntries({ data, instancePath }: ErrorObject): readonly ValidationIssue[] {
  const list: readonly unknown[] = Array.isArray(data) ? data : [];
  const repeated = list.map((entry, index) => (list.indexOf(entry) < index ? `${instancePath}/${index}` : null));
  return repeated.flatMap((path) =>
    path === null ? [] : [{ path, reason: "uniqueItems", message: `\`${nameOf(path)}\` is a duplicate.` }],
  );
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
  const path = `${instancePath}/${asPointer(name)}`;
  // The resource has this field, but it is read-only.
  const fixed: unknown = recordOf(parentSchema?.["x-fixed"])[name];
  if (typeof fixed === "string")
    return { path, reason: "unknown_field", message: `\`${name}\` cannot be changed. ${fixed}` };
  const suggestions = nearest(name, Object.keys(recordOf(parentSchema?.["properties"])), 1);
  const hint = suggestions.length > 0 ? ` Did you mean \`${suggestions[0]}\`?` : "";
  const message = `Unknown field \`${name}\`.${hint}`;
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
    case "minProperties":
      return limit === "1" ? "must not be empty" : `must have at least ${limit} entries`;
    case "maxItems":
    case "maxProperties":
      return `must have at most ${limit} entries`;
    case "uniqueItems":
      return "must not contain duplicates";
    case "pattern":
      return error.schema === "\\S" ? "must contain more than white space" : "has an invalid format";
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

/** Includes the two nearest valid values, which makes a wrong unit obvious. */
function betweenSteps(sent: unknown, step: number): string {
  const below = Math.floor(Number(sent) / step) * step;
  return `must be a multiple of ${step}: ${below} or ${below + step}, not ${String(sent)}`;
}

/** All leaf branches of a schema, or the schema itself if it has no branches. */
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
      return recordOf(schema["items"])["type"] === "string" ? "a list of texts" : "a list";
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

export function numberBounds(schema: Readonly<Record<string, unknown>>): string {
  const kind = schema["type"] === "integer" ? "a whole number" : "a number";
  const from = bound("from", schema["minimum"]) || bound("above", schema["exclusiveMinimum"]);
  return [kind, from, bound("to", schema["maximum"])].filter((part) => part !== "").join(" ");
}

function bound(label: string, value: unknown): string {
  return typeof value === "number" ? `${label} ${value}` : "";
}
