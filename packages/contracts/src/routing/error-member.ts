/** `error` in the format of language-model clients, next to the members of a problem. */
import type { ProblemBody } from "../problems.ts";

export interface ErrorMember {
  readonly message: string;
  readonly type: string;
  readonly code: string;
}

export function errorMember({ detail, status, code }: Pick<ProblemBody, "detail" | "status" | "code">): ErrorMember {
  return { message: detail, type: errorType(status), code };
}

export function errorType(status: number): string {
  switch (status) {
    case 401:
      return "authentication_error";
    case 402:
      return "payment_required";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 409:
      return "conflict_error";
    case 429:
      return "rate_limit_error";
    default:
      return status >= 500 ? "api_error" : "invalid_request_error";
  }
}
