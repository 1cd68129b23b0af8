/**
 * What a POST to the licence endpoint asks for (section 11): one pure decision over the raw query and body. The query wins, and then
 * the body is not even parsed. Everything that is not clearly a yes is a no, except a body that is no JSON: then nothing happens.
 */

export type RotateLicenseInput =
  | { readonly kind: "rotate"; readonly notifyWorkers: boolean }
  | { readonly kind: "invalid_json"; readonly detail: string };

export interface LicensePost {
  /** Values of `notify_workers` in the query in their order, decoded; empty where the key does not appear. */
  readonly queryValues: readonly string[];
  readonly body: Uint8Array;
}

const MEMBER = "notify_workers";
const DEPTH_MAX = 32;
const TRUTHY: ReadonlySet<string> = new Set(["1", "true", "t", "yes", "y", "on"]);

export function readRotateLicenseInput({ queryValues, body }: LicensePost): RotateLicenseInput {
  const [queryValue] = queryValues;
  if (queryValue !== undefined) return rotate(isTruthyText(queryValue));

  const text = decode(body);
  if (text === null) return refused("The body is not UTF-8.");
  if (text.trim() === "") return rotate(false);

  const parsed = parse(text);
  if (parsed === null) return refused("The body is not JSON.");
  if (isDeeperThan(parsed.value, DEPTH_MAX)) return refused(`The body is nested deeper than ${DEPTH_MAX} levels.`);
  return rotate(isObject(parsed.value) && isTruthy(ownMember(parsed.value)));
}

function rotate(notifyWorkers: boolean): RotateLicenseInput {
  return { kind: "rotate", notifyWorkers };
}

function refused(detail: string): RotateLicenseInput {
  return { kind: "invalid_json", detail };
}

/** A byte order mark at the beginning is taken off. */
function decode(body: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return null;
  }
}

/** Of members with one name the last counts, as `JSON.parse` has it. */
function parse(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Levels of arrays and objects; the root is the first. Counted level by level, so that no depth exhausts the stack. */
function isDeeperThan(root: unknown, most: number): boolean {
  let level = [root].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === most) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

function ownMember(value: Record<string, unknown>): unknown {
  return Object.hasOwn(value, MEMBER) ? value[MEMBER] : undefined;
}

function isTruthy(value: unknown): boolean {
  if (typeof value === "string") return isTruthyText(value.trim());
  return value === true || value === 1;
}

function isTruthyText(text: string): boolean {
  return TRUTHY.has(text.toLowerCase());
}
