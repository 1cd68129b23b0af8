/** Compiles the schemas of requests into checks. */
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { ValidationIssue } from "@triptych/contracts";
import { isRecord } from "@triptych/util";
import { bodyIssues } from "./body-errors.ts";
import { ISSUES_MAX } from "./validation-errors.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** TypeBox expresses "every name" as `^.*$`, which does not match a name with a line break. */
const EVERY_NAME = "^.*$";
const regExp = (pattern: string, flags: string) => new RegExp(pattern === EVERY_NAME ? "" : pattern, flags);

const OPTIONS = {
  strict: false,
  removeAdditional: false,
  coerceTypes: false,
  verbose: true,
  code: { regExp: Object.assign(regExp, { code: "new RegExp" }) },
} as const;
/** One per process, because it caches compiled schemas: a second server with the same contract compiles nothing. */
const ajv = addFormats.default(new Ajv({ ...OPTIONS, allErrors: true }));
/** Stops at the first error. */
const quickAjv = addFormats.default(new Ajv(OPTIONS));

// Rejects timestamps that `Date` cannot represent, such as second 60 or the zone `+01`, because they are compared.
const isRfc3339 = addFormats.default(new Ajv(), ["date-time"]).compile({ type: "string", format: "date-time" });
for (const each of [ajv, quickAjv])
  each.addFormat("date-time", (text: string) => isRfc3339(text) && !Number.isNaN(Date.parse(text)));

/** Compiled on first use, so that a command that calls one endpoint does not compile fifty. */
export function checkOf(schema: object, compiler = ajv): () => ValidateFunction {
  let check: ValidateFunction | null = null;
  return () => (check ??= compiler.compile(schema));
}

/** Valid bodies take the quick check; all errors are collected only for invalid ones. */
export function compileBody(schema: object): (body: unknown) => readonly ValidationIssue[] {
  const quickCheck = checkOf(schema, quickAjv);
  const fullCheck = checkOf(schema);
  return (body) => {
    const isValid = quickCheck();
    if (isValid(body)) return [];
    const check = fullCheck();
    // Without the removed entries, the body may be valid.
    return bodyIssues((check(cutToLimits(body, { ...schema })) ? isValid.errors : check.errors) ?? []);
  };
}

/** Truncates lists to one entry above their limit: megabytes of invalid entries would become gigabytes of errors. */
function cutToLimits(value: unknown, schema: JsonSchema): unknown {
  const { anyOf: branches, items, maxItems, properties, patternProperties, maxProperties } = schema;
  if (Array.isArray(branches)) return branches.filter(isRecord).reduce(cutToLimits, value);
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value.slice(0, Number(maxItems ?? Infinity) + 1);
    return isRecord(items) ? list.map((entry) => cutToLimits(entry, items)) : list;
  }
  if (!isRecord(value)) return value;
  const known = isRecord(properties) ? properties : {};
  const [ofOthers] = Object.values(isRecord(patternProperties) ? patternProperties : {});
  let others = 0;
  const entries = Object.entries(value).flatMap(([name, entry]) => {
    const isKnown = Object.hasOwn(known, name);
    if (!isKnown && others++ > Number(maxProperties ?? ISSUES_MAX)) return [];
    const ofEntry = isKnown ? known[name] : ofOthers;
    return [[name, isRecord(ofEntry) ? cutToLimits(entry, ofEntry) : entry] as const];
  });
  return Object.fromEntries(entries);
}
