/** Building blocks of the panel's schemas. */
import { Type, type TProperties, type TSchema } from "typebox";
import type { ProblemCode } from "../problems.ts";
import { PAGE_MAX, PAGE_SIZE } from "./limits.ts";

export const closed = <P extends TProperties>(properties: P, options: { title?: string; description?: string } = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });
export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const listOf = <S extends TSchema>(items: S) =>
  closed({ items: Type.Array(items), next_cursor: nullable(Type.String()) });

export const time = Type.String({ format: "date-time" });
export const timeOrNull = nullable(time);
/** IDs in paths and filters accept any form: a malformed ID is one that does not exist. */
export const anyId = (of: string) => Type.String({ maxLength: 200, description: `\`${of}_…\`` });
export const count = Type.Integer({ minimum: 0 });

export const paged = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: "`next_cursor` of the previous page" })),
};

/** Problems of every account route, and of routes that read a query or a body. */
export const always = [
  "unauthenticated",
  "rate_limited",
  "store_unavailable",
] as const satisfies readonly ProblemCode[];
export const asked = [...always, "validation_failed", "scope_required"] as const satisfies readonly ProblemCode[];
/** Also applies without a body: a body that is sent is validated. */
export const written = [
  ...asked,
  "csrf_failed",
  "account_suspended",
  "invalid_json",
  "too_large",
  "unsupported_media_type",
] as const satisfies readonly ProblemCode[];
export const keyed = ["idempotency_key_reused"] as const satisfies readonly ProblemCode[];
