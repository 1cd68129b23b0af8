/**
 * Examples for the operations: real responses of a running service, captured by `npm run openapi:examples` into
 * `packages/server/examples/<service>.json`.
 */
import { readFileSync } from "node:fs";

export interface OperationExample {
  readonly request?: unknown;
  readonly status: number;
  /** By media type. Absent if the response has no body, or one that is not text. */
  readonly content?: Readonly<Record<string, unknown>>;
}
/** By operation ID. */
export type OperationExamples = Readonly<Record<string, OperationExample>>;

const loaded = new Map<string, OperationExamples>();

/** Empty for a service without captured examples, such as one in a test. */
export function readExamples(service: string): OperationExamples {
  const known = loaded.get(service);
  if (known !== undefined) return known;
  const examples = parse(new URL(`../examples/${service}.json`, import.meta.url));
  loaded.set(service, examples);
  return examples;
}

function parse(file: URL): OperationExamples {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
}
