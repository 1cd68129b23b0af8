/**
 * Fuzzes every endpoint of a contract with fields that are valid, wrong, missing, unknown, oversized or of another
 * type. Requests are generated from the schemas, so that new endpoints are included.
 */
import type { Endpoint } from "@triptych/contracts";
import type { Seeded } from "./seeded.ts";

export { seeded, type Seeded } from "./seeded.ts";

type Schema = Readonly<Record<string, unknown>>;

export interface RandomRequest {
  readonly method: Endpoint["method"];
  readonly url: string;
  readonly payload: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const ODD_TEXTS = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "__proto__",
  "constructor",
  "'\"<script>;--",
  "🎭".repeat(40),
  "a".repeat(3000),
  "=1+1",
  "..%2f",
  "2026-02-30",
  "1e400",
];
const ODD_NUMBERS = [0, -1, 1, 0.5, 1e21, -1e21, Number.MAX_SAFE_INTEGER, 2 ** 53, 9_999, 10_000, Infinity];

export interface Asking {
  readonly endpoints: readonly Endpoint[];
  readonly samples: SampleValues;
  readonly noIds: readonly string[];
}

type SampleValues = Readonly<Record<string, readonly string[]>>;

export function randomRequest(random: Seeded, { endpoints, samples, noIds }: Asking): RandomRequest {
  // Deletions are rare, because no further request can use a deleted object.
  const picked = random.pick(endpoints);
  const endpoint = picked.method === "DELETE" && random.chance(0.8) ? random.pick(endpoints) : picked;
  const path = endpoint.path.replaceAll(/\{\w+\}/g, () =>
    encodeURIComponent(
      (random.chance(0.5) ? random.pick(ids(samples)) : random.pick([...ODD_TEXTS, ...noIds])).toWellFormed(),
    ),
  );
  // Half of the requests are mostly valid: with one random error per ten fields, few requests would have an effect.
  const context = { name: "", samples, isMostlyValid: random.chance(0.5) };
  const hasBody = endpoint.body !== undefined || endpoint.rawBody === true || random.chance(0.05);
  return {
    method: random.chance(0.95) ? endpoint.method : random.pick(["GET", "POST", "PATCH", "DELETE", "PUT"] as const),
    url: path + randomQuery(random, endpoint, context),
    payload: hasBody ? randomBody(random, endpoint, context) : undefined,
    headers: {
      ...(hasBody && {
        "content-type": random.chance(0.95) ? "application/json" : random.pick(["text/plain", "", "x"]),
      }),
      ...(random.chance(0.4) && { "idempotency-key": random.pick(["k-1", "k-1", "k-1", "a b", "x".repeat(300)]) }),
      ...(random.chance(0.05) && { accept: random.pick(["text/csv", "a/b", "", "*/*"]) }),
    },
  };
}

function ids(samples: SampleValues): string[] {
  return Object.values(samples).flat();
}

function randomQuery(random: Seeded, endpoint: Endpoint, context: ValueContext): string {
  const properties = Object.entries((endpoint.query?.properties ?? {}) as Record<string, Schema>);
  const pairs = properties
    .filter(() => random.chance(0.5))
    .map(([name, schema]) => [name, String(randomValue(random, schema, { ...context, name }))]);
  if (random.chance(0.05)) pairs.push([random.pick(["limti", "x", "__proto__"]), "1"]);
  if (pairs.length === 0) return "";
  return `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join("&")}`;
}

function randomBody(random: Seeded, endpoint: Endpoint, context: ValueContext): string {
  if (random.chance(0.03)) return random.pick(["", "{", "[]", "null", "1", '"x"', "[".repeat(40) + "]".repeat(40)]);
  const body = randomValue(random, { ...endpoint.body }, context);
  return JSON.stringify(body) ?? "";
}

interface ValueContext {
  readonly name: string;
  readonly samples: SampleValues;
  readonly isMostlyValid: boolean;
}

/** Usually a valid value, sometimes anything. */
function randomValue(random: Seeded, schema: Schema, context: ValueContext): unknown {
  const { samples, name, isMostlyValid } = context;
  if (random.chance(isMostlyValid ? 0.005 : 0.07))
    return random.pick([...ODD_TEXTS, ...ODD_NUMBERS, null, true, [], {}, [null], { a: 1 }]);
  if (Object.hasOwn(samples, name) && random.chance(0.8)) return random.pick(samples[name] ?? []);
  const choices = schema["enum"] ?? schema["anyOf"];
  if (Array.isArray(schema["enum"])) return random.pick<unknown>(schema["enum"]);
  if (Array.isArray(choices)) return randomValue(random, random.pick<Schema>(choices), context);
  if ("const" in schema) return schema["const"];
  switch (schema["type"]) {
    case "object":
      return randomObject(random, schema, context);
    case "array": {
      const items = schema["items"] as Schema;
      return Array.from({ length: random.below(4) }, () => randomValue(random, items, context));
    }
    case "integer":
    case "number":
      if (isMostlyValid) return within(schema, random.below(50));
      return random.chance(0.3) ? random.pick(ODD_NUMBERS) : random.below(50) * 10_000;
    case "boolean":
      return random.chance(0.5);
    default:
      return random.chance(isMostlyValid ? 0.02 : 0.4) ? random.pick(ODD_TEXTS) : `text-${random.below(9)}`;
  }
}

/** Uses steps of ten thousand if the bounds are amounts of money. */
function within({ minimum = 0, maximum = Infinity }: Schema, step: number): number {
  const low = Number(minimum);
  return Math.min(Number(maximum), low >= 10_000 ? low + step * 10_000 : low + step);
}

function randomObject(random: Seeded, schema: Schema, context: ValueContext): Record<string, unknown> {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  const members = properties
    .filter(([name]) => random.chance(context.isMostlyValid && !isRequired(schema, name) ? 0.3 : 0.95))
    .map(([name, property]): [string, unknown] => [name, randomValue(random, property, { ...context, name })]);
  if (random.chance(context.isMostlyValid ? 0.01 : 0.05))
    members.push([random.pick(["extra", "amount", "price_micro"]), 1]);
  return Object.fromEntries(members);
}

function isRequired({ required }: Schema, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}
