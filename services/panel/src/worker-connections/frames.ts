/** Parses worker frames with the schemas of the contract, compiled once when the first worker connects. */
import {
  reportData,
  usageData,
  workerFrames,
  type ReportData,
  type ReportedState,
  type WorkerFrame,
} from "@triptych/contracts";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { RoleUsage } from "../domain/run-usage.ts";

export type WorkerFrameResult =
  | { readonly kind: "frame"; readonly frame: WorkerFrame }
  /** A frame of an unknown type, ignored so that newer workers can send more. */
  | { readonly kind: "unknown" }
  /** The reason, without the content of the frame. */
  | { readonly kind: "malformed"; readonly why: string };

interface Check {
  Check(value: unknown): boolean;
  Errors(value: unknown): readonly SchemaError[];
}

interface SchemaError {
  readonly instancePath: string;
  readonly message: string;
}

/** Limit of RFC 6455 for the reason of a close frame. */
const REASON_BYTES_MAX = 123;

const checks = new Map<string, Check>();

export function readFrame(text: string): WorkerFrameResult {
  const value = parse(text);
  if (!isObject(value) || typeof value["t"] !== "string") return { kind: "malformed", why: "not a frame" };
  const type = value["t"];
  const check = checkOf(type);
  if (check === null) return { kind: "unknown" };
  return check.Check(value)
    ? { kind: "frame", frame: value as WorkerFrame }
    : { kind: "malformed", why: describeErrors(type, check.Errors(value)) };
}

export function readReport<S extends ReportedState>(state: S, data: unknown): ReportData[S] | string {
  const check = compiled(`report ${state}`, reportData[state]);
  return check.Check(data) ? (data as ReportData[S]) : describeErrors(`data of state ${state}`, check.Errors(data));
}

export function readUsage(data: unknown): RoleUsage | null {
  return compiled("usage", usageData).Check(data) ? (data as RoleUsage) : null;
}

function checkOf(type: string): Check | null {
  const schema = Object.entries(workerFrames).find(([name]) => name === type)?.[1];
  return schema === undefined ? null : compiled(type, schema);
}

/** As many issues as fit, each with its path. Authors of custom workers get no other feedback. */
function describeErrors(what: string, errors: readonly SchemaError[]): string {
  let why = `${what}:`;
  for (const { instancePath, message } of errors) {
    const issue = `${instancePath === "" ? "" : ` ${instancePath}`} ${message};`;
    if (Buffer.byteLength(why + issue) > REASON_BYTES_MAX) break;
    why += issue;
  }
  return why.endsWith(";") ? why.slice(0, -1) : `${what} has invalid members`;
}

function compiled(name: string, schema: TSchema): Check {
  const validator = checks.get(name) ?? Compile(schema);
  checks.set(name, validator);
  return validator;
}

/** JSON escapes that cannot be stored: PostgreSQL text rejects null bytes, UTF-8 rejects lone surrogates. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

function parse(text: string): unknown {
  try {
    return UNSTORABLE.test(text) ? JSON.parse(text, toStorable) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Replaces such characters instead of refusing the frame: an agent's output is arbitrary, and the frame contains more. */
function toStorable(_name: string, value: unknown): unknown {
  if (typeof value === "string") return keepableText(value);
  if (!isObject(value) || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [keepableText(name), member]));
}

function keepableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
