/** Configuration comes from the environment, once, through a schema. An error names the variable, never its value. */
import { IsOptional, type Static, type TObject } from "typebox";
import { Value } from "typebox/value";

/** Reads the variables that the schema names, applies its defaults, and makes numbers of text where it asks for numbers. Throws ConfigError. */
export function readConfig<S extends TObject>(
  schema: S,
  environment: Readonly<Record<string, string | undefined>>,
): Static<S> {
  const config = valuesOf(schema, environment);
  if (Value.Check(schema, config)) return config;
  throw new ConfigError(configFaults(schema, environment));
}

/** What is wrong with the variables that the schema names, each with what it should hold: for whoever asks several schemas before anything is started. */
export function configFaults(
  schema: TObject,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const config = valuesOf(schema, environment);
  const values = isRecord(config) ? config : {};
  return Object.entries(schema.properties)
    .filter(([name, property]) =>
      Object.hasOwn(values, name) ? !Value.Check(property, values[name]) : !IsOptional(property),
    )
    .map(([name, property]) => `${name}: ${description(property)}`);
}

function valuesOf(schema: TObject, environment: Readonly<Record<string, string | undefined>>): unknown {
  const known: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = environment[name];
    if (value !== undefined && value !== "") known[name] = isNumeric(property) ? numberIn(value) : value;
  }
  return Value.Default(schema, known);
}

export class ConfigError extends Error {
  constructor(faulty: readonly string[]) {
    super(`The environment is not right. Mend or unset: ${faulty.join("; ")}`);
    this.name = "ConfigError";
  }
}

function isNumeric(property: unknown): boolean {
  return isRecord(property) && (property["type"] === "integer" || property["type"] === "number");
}

/** As it is written, or the text itself, which then is refused. (TypeBox would make 1 of 1.5, and of `true`.) */
function numberIn(text: string): number | string {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}

function description(property: unknown): string {
  return isRecord(property) && typeof property["description"] === "string"
    ? property["description"]
    : "not a valid value";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
