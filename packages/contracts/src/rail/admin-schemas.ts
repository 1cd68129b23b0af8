/** Schemas and errors that the operator endpoints share. */
import { Type } from "typebox";
import { OPERATOR_MAX, REASON_MAX } from "./limits.ts";
import { BODY_ERRORS, strictObject } from "./schemas.ts";

export const id = strictObject({ id: Type.String({ maxLength: 64 }) });
export const operator = Type.String({
  minLength: 1,
  maxLength: OPERATOR_MAX,
  description: "who makes the change; recorded in the entry",
});
export const reason = Type.String({
  minLength: 1,
  maxLength: REASON_MAX,
  description: "reason; recorded in the entry",
});
export const action = strictObject({ operator, reason }, { title: "OperatorAction" });

export const OPERATOR_ERRORS = ["admin_token_required", "not_ready"] as const;
export const READ_BODY_ERRORS = [...BODY_ERRORS, ...OPERATOR_ERRORS] as const;
/** Endpoints that list `read_only_token` reject the read token. */
export const CHANGE_ERRORS = [...READ_BODY_ERRORS, "read_only_token"] as const;
export const IDEMPOTENT_ERRORS = ["idempotency_key_reused", "idempotency_in_progress"] as const;
