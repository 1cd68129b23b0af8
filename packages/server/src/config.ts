/** Configuration comes from the environment, once, through a schema. An error names the variable, never its value. */
import { IsOptional, type Static, type TObject } from "typebox";
import { Value } from "typebox/value";

/** Reads the variables that the schema names, applies its defaults, and converts text to its types. Throws ConfigError. */
export function readConfig<S extends TObject>(
  schema: S,
  environment: Readonly<Record<string, string | undefined>>,
): Static<S> {
  const known: Record<string, unknown> = {};
  for (const name of Object.keys(schema.properties)) {
    const value = environment[name];
    if (value !== undefined && value !== "") known[name] = value;
  }
  const config: unknown = Value.Convert(schema, Value.Default(schema, known));
  if (Value.Check(schema, config)) return config;

  const values = isRecord(config) ? config : {};
  const faulty = Object.entries(schema.properties)
    .filter(([name, property]) =>
      Object.hasOwn(values, name) ? !Value.Check(property, values[name]) : !IsOptional(property),
    )
    .map(([name, property]) => `${name}: ${description(property)}`);
  throw new ConfigError(faulty);
}

export class ConfigError extends Error {
  constructor(faulty: readonly string[]) {
    super(`The environment is not right. Mend or unset: ${faulty.join("; ")}`);
    this.name = "ConfigError";
  }
}

function description(property: unknown): string {
  return isRecord(property) && typeof property["description"] === "string"
    ? property["description"]
    : "not a valid value";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
