/** What the schemas of the panel are put together from. */
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
/** Ids come in paths and filters; one that has no form of ours is one that does not exist. */
export const anyId = (of: string) => Type.String({ maxLength: 200, description: `\`${of}_…\`` });
export const count = Type.Integer({ minimum: 0 });

export const paged = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: "`next_cursor` of the page before" })),
};

/** What every route of an account may answer, and what one that reads a query or a body may answer. */
export const always = [
  "unauthenticated",
  "rate_limited",
  "store_unavailable",
] as const satisfies readonly ProblemCode[];
export const asked = [...always, "validation_failed", "scope_required"] as const satisfies readonly ProblemCode[];
/** Also without a body: one that is sent is looked at. */
export const written = [
  ...asked,
  "csrf_failed",
  "account_suspended",
  "invalid_json",
  "too_large",
  "unsupported_media_type",
] as const satisfies readonly ProblemCode[];
export const keyed = ["idempotency_key_reused"] as const satisfies readonly ProblemCode[];
