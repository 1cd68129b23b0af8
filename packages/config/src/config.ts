/**
 * Reads the configuration from environment variables once, validated by a schema. Errors contain the variable name,
 * never its value.
 */
import { IsOptional, type Static, type TObject } from "typebox";
import { Value } from "typebox/value";
import { isRecord } from "@triptych/util";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Applies defaults and converts numbers. Throws ConfigError. */
export function readConfig<S extends TObject>(schema: S, environment: Environment): Static<S> {
  const config = valuesOf(schema, environment);
  if (Value.Check(schema, config)) return config;
  throw new ConfigError(configIssues(schema, environment));
}

/**
 * Lists the invalid variables of a schema with their expected values, so that several schemas can be checked before
 * anything starts.
 */
export function configIssues(schema: TObject, environment: Environment): readonly string[] {
  const config = valuesOf(schema, environment);
  const values = isRecord(config) ? config : {};
  return Object.entries(schema.properties)
    .filter(([name, property]) =>
      Object.hasOwn(values, name) ? !Value.Check(property, values[name]) : !IsOptional(property),
    )
    .map(([name, property]) => `${name}: ${description(property)}`);
}

export function valuesOf(schema: TObject, environment: Environment): unknown {
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = environment[name];
    if (value !== undefined && value !== "") values[name] = isNumeric(property) ? numberIn(value) : value;
  }
  return Value.Default(schema, values);
}

export class ConfigError extends Error {
  constructor(issues: readonly string[]) {
    super(`Invalid environment. Correct or unset: ${issues.join("; ")}`);
    this.name = "ConfigError";
  }
}

function isNumeric(property: unknown): boolean {
  return isRecord(property) && (property["type"] === "integer" || property["type"] === "number");
}

/**
 * Returns the number exactly as written, or the text, which then fails validation. TypeBox would convert 1.5 and `true`
 * to 1.
 */
function numberIn(text: string): number | string {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}

function description(property: unknown): string {
  return isRecord(property) && typeof property["description"] === "string"
    ? property["description"]
    : "an invalid value";
}
