/**
 * Parses a POST to the license endpoint (section 11) from its raw query and body. The query takes precedence; the body is then not parsed.
 * Any unclear value means false, except that an invalid JSON body does nothing.
 */

export type RotateLicenseInput =
  | { readonly kind: "rotate"; readonly notifyWorkers: boolean }
  | { readonly kind: "invalid_json"; readonly detail: string };

export interface LicensePost {
  /** Decoded values of `notify_workers` in the query, in order; empty if absent. */
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

function decode(body: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return null;
  }
}

/** Of duplicate members the last one counts, as in `JSON.parse`. */
function parse(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Depth of arrays and objects; the root is 1. Iterates by level, so that deep input cannot exhaust the stack. */
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
