import { Type, type TProperties, type TSchema } from "typebox";
import type { ProblemCode } from "../problems.ts";
import { PAGE_MAX, PAGE_SIZE } from "./limits.ts";

interface ObjectOptions {
  readonly title?: string;
  readonly description?: string;
  /** Read-only fields of the resource. The text tells a client that sends one what to do instead. */
  readonly "x-fixed"?: Readonly<Record<string, string>>;
}

export const strictObject = <P extends TProperties>(properties: P, options: ObjectOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });
export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
/** A page of a titled schema: `RunPage` of `Run`. */
export const listOf = <S extends TSchema & { readonly title?: unknown }>(items: S) =>
  strictObject(
    { items: Type.Array(items), next_cursor: nullable(Type.String()) },
    { title: `${String(items.title)}Page` },
  );

export const time = Type.String({ format: "date-time" });
export const timeOrNull = nullable(time);
/** IDs in paths and filters are not validated: a malformed ID is simply not found. */
export const anyId = (of: string) => Type.String({ maxLength: 200, description: `\`${of}_…\`` });
export const count = Type.Integer({ minimum: 0 });

export const paged = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: "`next_cursor` of the previous page" })),
};

/** Problems of every account route, and of routes that read a query or a body. */
export const COMMON_ERRORS = [
  "unauthenticated",
  "rate_limited",
  "store_unavailable",
] as const satisfies readonly ProblemCode[];
export const READ_ERRORS = [
  ...COMMON_ERRORS,
  "validation_failed",
  "scope_required",
] as const satisfies readonly ProblemCode[];
/** Also for endpoints whose body is optional: a body that is sent is validated. */
export const WRITE_ERRORS = [
  ...READ_ERRORS,
  "csrf_failed",
  "account_suspended",
  "invalid_json",
  "too_large",
  "unsupported_media_type",
] as const satisfies readonly ProblemCode[];
export const IDEMPOTENT_ERRORS = ["idempotency_key_reused"] as const satisfies readonly ProblemCode[];
