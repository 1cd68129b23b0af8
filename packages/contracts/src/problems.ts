/**
 * The one catalogue of problems (RFC 9457). A problem is the caller's to fix, or ours to say sorry for: a code, a status, a
 * title, and an explanation that says what to do. `/problems/<code>` of every service shows the entry as a page.
 */
interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  readonly explanation: string;
}

function entry(status: number, title: string, explanation: string): ProblemEntry {
  return { status, title, explanation };
}

export const problems = {
  invalid_json: entry(400, "The body is not JSON", "The body could not be parsed. Send valid JSON in UTF-8."),
  malformed_request: entry(
    400,
    "The request is not HTTP",
    "The request could not be parsed as HTTP/1.1. Check the client.",
  ),
  validation_failed: entry(
    400,
    "The request has faults",
    "Every fault is listed in `errors`, each with the place it was found. Mend them all and send the request again; nothing was done.",
  ),
  ambiguous_key: entry(
    400,
    "Two different keys",
    "The request carries two different API keys, so it is unclear who is to be billed. Send one key, or the same one everywhere.",
  ),
  key_required: entry(
    401,
    "An API key is needed",
    "Send your key as `Authorization: Bearer <key>`, as `X-API-Key: <key>` or as `?key=<key>`. The operator gives out keys.",
  ),
  key_invalid: entry(
    401,
    "The API key is not valid",
    "No such key exists. A key has a checksum at its end: check that it was copied whole.",
  ),
  key_revoked: entry(401, "The API key was revoked", "The operator has withdrawn this key. Ask for a new one."),
  key_expired: entry(
    401,
    "The API key has expired",
    "This key was valid until a date that has passed. Ask for a new one.",
  ),
  plan_required: entry(
    403,
    "The plan does not include this",
    "`feature` names what was asked for, `required_plan` the plan that has it, `current_plan` the plan of the key.",
  ),
  not_found: entry(
    404,
    "There is nothing at this address",
    "The path is not one of this service. `/openapi.json` lists them all.",
  ),
  item_not_found: entry(
    404,
    "There is no such item",
    "No item of this type has this slug. `suggestions` names the nearest slugs, if there are any.",
  ),
  method_not_allowed: entry(
    405,
    "The method is not allowed here",
    "The `Allow` header lists the methods of this path.",
  ),
  not_acceptable: entry(
    406,
    "None of the accepted formats can be served",
    "Ask for one of the formats that the documentation of this path lists, or send no `Accept` header.",
  ),
  request_timeout: entry(408, "The request took too long to arrive", "Send the whole request without a pause."),
  payload_too_large: entry(413, "The body is too large", "Send less at once. The limit is in `detail`."),
  uri_too_long: entry(414, "The URL is too long", "A URL may have at most 8 KiB."),
  unsupported_media_type: entry(
    415,
    "The media type is not supported",
    "Send JSON with `Content-Type: application/json`.",
  ),
  rate_limited: entry(
    429,
    "Too many requests",
    "The key has used up its requests of the last minute. Wait as many seconds as `Retry-After` says: a client that does is accepted.",
  ),
  quota_exceeded: entry(
    429,
    "The quota of the day is used up",
    "The key has received all the items of its day (UTC). It starts again after `Retry-After` seconds; a larger quota is the operator's to give.",
  ),
  headers_too_large: entry(431, "The headers are too large", "Send fewer or shorter headers."),
  internal: entry(
    500,
    "Something went wrong on our side",
    "The fault was logged under `request_id`. Nothing was charged. Try again later.",
  ),
  not_ready: entry(
    503,
    "The service is starting",
    "The service cannot answer yet. Try again after `Retry-After` seconds.",
  ),
  overloaded: entry(
    503,
    "The service is overloaded",
    "Too much is being asked at once. Try again after `Retry-After` seconds.",
  ),
} as const satisfies Record<string, ProblemEntry>;

export type ProblemCode = keyof typeof problems;

/** One fault of a request: where (`/pointer`, `?parameter`, `header:Name`), what, and what would have been right. */
export interface Fault {
  readonly path: string;
  readonly message: string;
  readonly reason: string;
  readonly allowed?: readonly string[];
  readonly suggestions?: readonly string[];
}

/** The body of every error answer, `application/problem+json`. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly instance: string;
  readonly request_id: string;
  readonly errors?: readonly Fault[];
  readonly [member: string]: unknown;
}
