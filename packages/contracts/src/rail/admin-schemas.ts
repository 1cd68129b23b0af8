/** What the endpoints of operators share. */
import { Type } from "typebox";
import { OPERATOR_MAX, REASON_MAX } from "./limits.ts";
import { OF_A_BODY, strictObject } from "./schemas.ts";

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

export const operated = ["admin_token_required", "not_ready"] as const;
export const READ_BODY_ERRORS = [...OF_A_BODY, ...operated] as const;
/** An endpoint that lists `read_only_token` is closed to the read token. */
export const CHANGE_ERRORS = [...READ_BODY_ERRORS, "read_only_token"] as const;
export const IDEMPOTENT_ERRORS = ["idempotency_key_reused", "idempotency_in_progress"] as const;
