/**
 * The variables of a service as data, derived from the schema that parses them. Additional keywords: `details` (text
 * for the reference), `unset` (what happens without a value), `file` (file in the data folder with a generated value),
 * `secret` (true, or `password` for a URL that may contain one).
 */
import { join } from "node:path";
import { isRecord } from "@triptych/util";
import type { TObject } from "typebox";
import { configIssues, valuesOf, type Environment } from "./config.ts";

export interface Variable {
  readonly name: string;
  /** One line; also shown as the error for an invalid value. */
  readonly meaning: string;
  readonly details: string | null;
  readonly default: string | null;
  /** What happens without a value, if there is no constant default. */
  readonly unset: string | null;
  readonly file: string | null;
  readonly secret: "whole" | "password" | null;
}

export interface Setting extends Variable {
  /** Masked if it is secret or invalid; null if unset. */
  readonly value: string | null;
  readonly source: "environment" | "default" | "file" | "unset";
  readonly isValid: boolean;
}

export interface Settings {
  readonly service: string;
  readonly variables: readonly Variable[];
  /** Invalid variables with the expected form, without their values. */
  issuesOf(environment: Environment): readonly string[];
  read(environment: Environment, exists: (path: string) => boolean): readonly Setting[];
}

const MASK = "********";
const DATA_FOLDER = ".triptych";

/** @param checks find issues that a schema cannot express. */
export function defineSettings(
  service: string,
  schema: TObject,
  checks: readonly ((environment: Environment) => readonly string[])[] = [],
): Settings {
  const variables = Object.entries(schema.properties).map(([name, property]) => variableOf(name, property));
  const issuesOf = (environment: Environment) => [
    ...new Set([...configIssues(schema, environment), ...checks.flatMap((check) => check(environment))]),
  ];
  return {
    service,
    variables,
    issuesOf,
    read(environment, exists) {
      const values = valuesOf(schema, environment);
      const issues = issuesOf(environment);
      return variables.map((variable) => {
        const isValid = !issues.some((issue) => issue.startsWith(`${variable.name}:`));
        const value = isRecord(values) && Object.hasOwn(values, variable.name) ? textOf(values[variable.name]) : null;
        const source = sourceOf(variable, environment, exists);
        return { ...variable, source, isValid, value: maskedValue(variable, { value, source, isValid }) };
      });
    },
  };
}

function variableOf(name: string, schema: unknown): Variable {
  const keywords: Readonly<Record<string, unknown>> = isRecord(schema) ? schema : {};
  const text = (keyword: string) => (typeof keywords[keyword] === "string" ? keywords[keyword] : null);
  const { default: fallback, secret } = keywords;
  return {
    name,
    meaning: text("description") ?? "",
    details: text("details"),
    default: textOf(fallback),
    unset: text("unset"),
    file: text("file"),
    secret: secret === true ? "whole" : secret === "password" ? "password" : null,
  };
}

function sourceOf(variable: Variable, environment: Environment, exists: (path: string) => boolean): Setting["source"] {
  if (environment[variable.name] !== undefined && environment[variable.name] !== "") return "environment";
  const folder = environment["TRIPTYCH_DATA"] || DATA_FOLDER;
  if (variable.file !== null && exists(join(folder, variable.file))) return "file";
  return variable.default === null ? "unset" : "default";
}

function maskedValue(
  { secret }: Variable,
  {
    value,
    source,
    isValid,
  }: { readonly value: string | null; readonly source: Setting["source"]; readonly isValid: boolean },
): string | null {
  if (source === "file") return MASK;
  if (value === null) return null;
  // An invalid value may be a secret in the wrong variable.
  if (!isValid || secret === "whole") return MASK;
  return secret === "password" ? withoutPassword(value) : value;
}

/** Variables are texts and numbers. */
function textOf(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

/** Masks the whole text if it is not a URL: it may be just a password. */
function withoutPassword(text: string): string {
  const url = URL.parse(text);
  if (url === null) return MASK;
  const { password, search } = url;
  if (password === "" && search === "") return text;
  if (password !== "") url.password = MASK;
  // PostgreSQL accepts `?password=`.
  if (search !== "") url.search = `?${MASK}`;
  return url.href;
}
