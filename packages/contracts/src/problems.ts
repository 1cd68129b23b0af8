/**
 * The catalog of problems (RFC 9457). Each entry has a code, a status, a title and an explanation with the next step.
 * Every service renders an entry at `/problems/<code>`.
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
  invalid_json: entry(400, "Invalid JSON", "The body could not be parsed. Send valid JSON in UTF-8."),
  malformed_request: entry(
    400,
    "Malformed HTTP request",
    "The request could not be parsed as HTTP/1.1. Check the client.",
  ),
  validation_failed: entry(
    400,
    "Validation failed",
    "Every issue is listed in `errors` with its location. Fix all of them and send the request again. Nothing was changed.",
  ),
  option_unknown: entry(
    400,
    "Unknown option",
    "A list in `options` restricts the expert to some of its routes. The routes listed in `errors` do not exist. GET /v1/experts lists the routes; a map in `options` defines custom ones.",
  ),
  too_few_examples: entry(
    400,
    "Too few examples",
    "Each route needs at least 2 distinct texts from `phrasings`, `examples` or both. `errors` points at every route that has fewer. Nothing was created.",
  ),
  ambiguous_key: entry(
    400,
    "Conflicting API keys",
    "The request contains two different API keys. Send one key, or the same key everywhere.",
  ),
  key_required: entry(
    401,
    "API key required",
    "Send your key as `Authorization: Bearer <key>`, as `X-API-Key: <key>` or as `?key=<key>`. The operator issues keys.",
  ),
  key_invalid: entry(
    401,
    "Invalid API key",
    "This key does not exist. Keys end with a checksum: check that you copied the whole key.",
  ),
  key_revoked: entry(401, "API key revoked", "The operator revoked this key. Request a new one from the operator."),
  key_expired: entry(
    401,
    "API key expired",
    "The expiry date of this key has passed. Request a new one from the operator.",
  ),
  wallet_token_required: entry(
    401,
    "Wallet token required",
    "Send the wallet's token as `X-Rail-Wallet: <token>` or as `Authorization: Bearer <token>`. POST /v1/wallets creates a wallet.",
  ),
  wallet_token_invalid: entry(
    401,
    "Invalid wallet token",
    "No open wallet of this mode has this token. It may be mistyped or rotated, or the wallet is closed. The last 7 characters are a checksum.",
  ),
  service_token_required: entry(
    401,
    "Service token required",
    "Only the gateway calls these paths. Send `Authorization: Bearer rail_svc_…` with the token from RAIL_SERVICE_TOKEN or from the file `service-token` in the data folder.",
  ),
  admin_token_required: entry(
    401,
    "Operator token required",
    "Send `Authorization: Bearer rail_admin_…`. The token is in `credentials.json`; `triptych rail token` creates another.",
  ),
  read_only_token: entry(
    403,
    "Read-only token",
    "This operator token reads and audits. Send `Authorization: Bearer rail_admin_…` for changes.",
  ),
  token_invalid: entry(
    401,
    "Router token required",
    "ROUTER_TOKEN is set for this router. Send it as `Authorization: Bearer <token>`.",
  ),
  unauthenticated: entry(
    401,
    "Authentication required",
    "Send `Authorization: Bearer pnl_…` with an access token, or sign in with POST /api/auth/login. An invalid, revoked or expired token or password gets the same response.",
  ),
  wallet_required: entry(
    402,
    "Payment required",
    "Send `X-Rail-Wallet`. Wallets are free: POST /v1/wallets on the rail with an email address.",
  ),
  wallet_unknown: entry(
    402,
    "Payment required",
    "No open wallet of this mode has this token. It may be mistyped or rotated, or the wallet is closed. Create another wallet on the rail.",
  ),
  wallet_empty: entry(
    402,
    "Payment required",
    "The balance is lower than the price. Top up the wallet on the rail; the next request is then accepted.",
  ),
  entitlement_required: entry(
    402,
    "Payment required",
    "This item requires a one-time purchase. `purchase` contains the exact request to send to the rail.",
  ),
  wallet_frozen: entry(
    403,
    "Wallet frozen",
    "A refund or a dispute exceeded the balance, or the operator froze the wallet. Nothing is charged until the operator unfreezes it.",
  ),
  cap_reached: entry(
    403,
    "Cap reached",
    "The charge would exceed the cap in `cap`. Nothing was delivered or billed. Wait until `resets_at`, or ask the owner of the wallet for a higher cap.",
  ),
  operation_not_allowed: entry(
    403,
    "Operation not allowed",
    "This wallet token may not pay for this operation. `ops` of the token lists those that it may pay for.",
  ),
  main_token_required: entry(
    403,
    "Main token required",
    "A sub-token pays for decisions and reads its own balance, entries and receipts. Everything else needs the main token of the wallet.",
  ),
  signature_invalid: entry(
    400,
    "Invalid signature",
    "The event was not signed with a secret of this endpoint, or the signature is older than five minutes. Nothing was changed.",
  ),
  plan_required: entry(
    403,
    "Not in your plan",
    "Your plan does not include this feature. Ask the operator for a plan that does.",
  ),
  scope_required: entry(
    403,
    "Insufficient token scope",
    "The access token lacks a scope: `read` reads, `write` changes, `admin` manages the license key and tokens. Create a token with the required scope.",
  ),
  csrf_failed: entry(
    403,
    "Cross-site request rejected",
    "A change made with a session cookie needs `Sec-Fetch-Site: same-origin`, or the panel's own `Origin`. If both headers are missing, send `X-CSRF-Token` from GET /api/auth/session. Programs use an access token.",
  ),
  account_suspended: entry(403, "Account suspended", "A suspended account is read-only. Contact the operator."),
  local_repo_forbidden: entry(
    403,
    "Local repositories not allowed",
    "Use an http(s) or ssh address, or have the operator start the panel with PANEL_ALLOW_LOCAL_REPOS=1.",
  ),
  isolation_below_minimum: entry(
    403,
    "Isolation level too low",
    "Set `isolation.level_required` to `minimum` or higher. The operator sets the minimum with PANEL_ISOLATION_MIN.",
  ),
  router_token_required: entry(
    403,
    "Router token not configured",
    "This router accepts remote connections but has no ROUTER_TOKEN. Without a token, remote clients can decide, but cannot change heads or send feedback. Start the router with ROUTER_TOKEN.",
  ),
  head_read_only: entry(
    403,
    "Shipped expert not recalibrated",
    "Feedback about a shipped expert is only counted. To recalibrate, train your own head, or send the feedback without `recalibrate`.",
  ),
  not_found: entry(404, "Not found", "This service has no such path. `/openapi.json` lists all paths."),
  item_not_found: entry(
    404,
    "Item not found",
    "No item of this type has this slug. `suggestions` lists the nearest slugs, if any.",
  ),
  expert_not_found: entry(
    404,
    "Expert not found",
    "You have access to no expert with this name or ID. GET /v1/experts lists the available ones; `suggestions` lists the nearest names.",
  ),
  head_not_found: entry(404, "Head not found", "You own no head with this ID. GET /v1/heads lists your heads."),
  token_not_found: entry(404, "Token not found", "The wallet has no sub-token with this ID."),
  wallet_not_found: entry(404, "Wallet not found", "No wallet of this mode has this ID or token."),
  charge_not_found: entry(404, "Charge not found", "No charge of this wallet has this ID."),
  receipt_not_found: entry(404, "Receipt not found", "No charge or purchase of this wallet has this ID."),
  topup_not_found: entry(404, "Top-up not found", "No top-up of this wallet has this ID."),
  key_not_found: entry(404, "Key not found", "No signing key has this ID. GET /v1/admin/keys lists all keys."),
  method_not_allowed: entry(405, "Method not allowed", "The `Allow` header lists the methods of this path."),
  not_acceptable: entry(
    406,
    "Not acceptable",
    "Request one of the formats that the documentation of this path lists, or send no `Accept` header.",
  ),
  request_timeout: entry(
    408,
    "Request timeout",
    "The request took too long to arrive. Send the whole request without a pause.",
  ),
  idempotency_in_progress: entry(
    409,
    "Idempotent request in progress",
    "The first request with this `Idempotency-Key` is still running. Wait for `Retry-After` seconds and send the same request again. You get the result of the first request.",
  ),
  promotion_gate: entry(
    409,
    "Promotion gate failed",
    "A version needs 200 shadow decisions and an agreement of at least 0.90 with the live version. On labelled rows, a Wilson lower bound of accuracy of at least 0.85 also passes. `shadow` contains the figures; `force` skips this gate.",
  ),
  head_not_ready: entry(409, "Head in another state", "The operation is not possible in the state given in `state`."),
  head_limit: entry(
    409,
    "Head limit reached",
    "An owner has at most 100 head names and 5 versions of each. Delete heads that you no longer need.",
  ),
  repo_exists: entry(409, "Repository already exists", "This account already has a repository with the same address."),
  revision_conflict: entry(
    409,
    "Modified since last read",
    "Someone else changed this resource. Read it again, review the change, and retry with the new `If-Match`.",
  ),
  repo_paused: entry(409, "Repository paused", "Set its `status` to `active` first."),
  repo_unreachable: entry(
    409,
    "Repository unreachable",
    "Check the address and the credential. The panel retries every 10 minutes.",
  ),
  policy_forbids: entry(
    409,
    "Forbidden by the project",
    "The project's AI policy does not allow this. Read the quoted sentence. A maintainer can set `ai_policy.override` with a reason.",
  ),
  run_already_active: entry(
    409,
    "Run already active",
    "A run with this focus is active. Wait for it, cancel it, or send `parallel: true`.",
  ),
  explore_already_active: entry(409, "Explore run already active", "Wait for the run to finish, or cancel it."),
  run_not_cancellable: entry(
    409,
    "Run cannot be cancelled",
    "A run that is being pushed or has ended cannot be cancelled.",
  ),
  run_not_pushed: entry(409, "Run not pushed", "Only a verified and pushed run can open a pull request."),
  run_not_followable: entry(
    409,
    "Run cannot be followed up",
    "Only a run with an open pull request can get follow-up runs.",
  ),
  pr_unsupported: entry(
    409,
    "Pull requests not supported",
    "The provider is plain Git. Merge the pushed branch on your Git host, or send the text in `request_pull`.",
  ),
  pr_closed: entry(
    409,
    "Pull request closed",
    "The pull request was merged or closed. Reopen an unmerged pull request with `reopen: true`.",
  ),
  duplicate_patch: entry(
    409,
    "Duplicate pull request",
    "Another run of this repository has an open pull request with the same change.",
  ),
  version_gone: entry(
    410,
    "Version no longer stored",
    "Changes are known from the oldest stored version, named in `oldest`. Export everything again, then send the `version` of that export as `since`.",
  ),
  branch_gone: entry(
    409,
    "Branch not found",
    "The branch was deleted on the Git host, and the bundle of the run has expired. Start the run again.",
  ),
  branch_moved: entry(409, "Branch moved", "Someone else pushed to the branch of the run. Nothing was overwritten."),
  superseded: entry(
    409,
    "Lease lost",
    "The lease expired or belongs to another worker. Discard the working tree and everything else of this epoch.",
  ),
  effect_in_progress: entry(
    409,
    "Already in progress",
    "An identical request is in progress. Try again after `Retry-After` seconds.",
  ),
  store_unavailable: entry(
    503,
    "Store unavailable",
    "The store is overloaded or unreachable. Nothing was changed. Try again after `Retry-After` seconds.",
  ),
  draining: entry(
    503,
    "Service shutting down",
    "The service finishes requests in progress and accepts no new ones. Nothing was changed. Try again after `Retry-After` seconds.",
  ),
  no_worker_connected: entry(
    503,
    "No worker connected",
    "Start one with `triptych worker --panel <address>` and the license key in `PANEL_TOKEN`, then try again.",
  ),
  run_not_retryable: entry(
    409,
    "Run cannot be retried",
    "Only failed, cancelled, lost and expired runs can be retried.",
  ),
  candidate_not_proposed: entry(409, "Candidate not proposed", "Only proposed candidates can be run or rejected."),
  candidate_rejected: entry(
    409,
    "Candidate rejected",
    "A rejected candidate cannot be run. Start a run with its focus and gate instead.",
  ),
  candidate_stale: entry(
    409,
    "Candidate out of date",
    "The evidence is no longer in the repository, and the gate was not run again. Explore again: POST /api/repos/{id}/explore.",
  ),
  trunk_mismatch: entry(
    409,
    "Incompatible head",
    "The head was trained for another release of the engine. Train it again from its examples.",
  ),
  fenced: entry(
    409,
    "Boot replaced",
    "A newer boot of the same instance has registered. Register with a new boot ID. Nothing of this batch was applied.",
  ),
  too_many_tokens: entry(
    409,
    "Too many tokens",
    "The wallet has the maximum number of active sub-tokens. Revoke one with DELETE /v1/wallets/me/tokens/{id}.",
  ),
  wallet_closed: entry(409, "Wallet closed", "A closed wallet cannot be reopened. Its entries stay readable."),
  topup_state: entry(
    409,
    "Top-up in another state",
    "The operation is not possible in the state given in `topup_status`.",
  ),
  charge_state: entry(
    409,
    "Charge in another state",
    "Only a delivered charge can be refunded, and only once. `state` contains its current state.",
  ),
  balance_too_low: entry(
    409,
    "Insufficient balance",
    "A balance never goes below zero. `paid_micro` contains the amount that can be withdrawn.",
  ),
  rotation_pending: entry(
    409,
    "Next key already published",
    "The next key becomes active 24 h after publication. Wait until then, or revoke it first.",
  ),
  statement_too_long: entry(
    409,
    "Statement too large",
    "A statement is signed as a whole and contains at most `movements_max` movements. Read the entries of the month page by page instead; they form a hash chain.",
  ),
  payload_too_large: entry(413, "Body too large", "Send a smaller body. `detail` contains the limit."),
  too_large: entry(413, "Payload too large", "Send a smaller body. Nothing was changed."),
  uri_too_long: entry(414, "URL too long", "A URL can have at most 8 KiB."),
  unsupported_media_type: entry(415, "Unsupported media type", "Send JSON with `Content-Type: application/json`."),
  misdirected_request: entry(
    421,
    "Host not allowed",
    "Without a token the service answers only for loopback hosts, its public address and the configured hosts. This prevents DNS rebinding. Set the variable named in `detail`, or set a token.",
  ),
  idempotency_key_reused: entry(
    422,
    "Idempotency key reused",
    "This `Idempotency-Key` was used with another payload. Nothing was changed. Use a new key for a new request.",
  ),
  rate_limited: entry(
    429,
    "Too many requests",
    "The request limit of the last minute, or of the period in `detail`, is reached. Wait for `Retry-After` seconds; the next request is then accepted.",
  ),
  training_queue_full: entry(
    429,
    "Training queue full",
    "Two heads train at a time and 16 are queued. Nothing was created. Try again after `Retry-After` seconds.",
  ),
  quota_exceeded: entry(
    429,
    "Quota exceeded",
    "The key or plan has used its quota for the current UTC day or month. The quota resets after `Retry-After` seconds. With status 403 it does not reset: ask the operator for a larger plan.",
  ),
  headers_too_large: entry(431, "Headers too large", "Send fewer or shorter headers."),
  internal: entry(
    500,
    "Internal error",
    "The error was logged with `request_id`. Nothing was charged. Try again later.",
  ),
  forge_error: entry(
    502,
    "Git host error",
    "The Git host did not respond, or responded with an error. Try again, after `Retry-After` seconds if that header is present.",
  ),
  router_failed: entry(
    502,
    "Router error",
    "The router responded with an error. Nothing was charged. Try again after `Retry-After` seconds.",
  ),
  router_unavailable: entry(503, "Router unavailable", "Nothing was charged. Try again after `Retry-After` seconds."),
  rail_unavailable: entry(
    503,
    "Payment rail unavailable",
    "The gateway responds only after a charge succeeds. Nothing was charged. Try again after `Retry-After` seconds.",
  ),
  provider_unavailable: entry(
    503,
    "Payment provider unavailable",
    "No money moved. Try again after `Retry-After` seconds.",
  ),
  not_ready: entry(
    503,
    "Service not ready",
    "The service cannot process requests yet. Try again after `Retry-After` seconds.",
  ),
  overloaded: entry(
    503,
    "Service overloaded",
    "Too many requests are in progress. Try again after `Retry-After` seconds.",
  ),
} as const satisfies Record<string, ProblemEntry>;

export type ProblemCode = keyof typeof problems;

/** One issue of a request: its location (`/pointer`, `?parameter`, `header:Name`), the error and the expected value. */
export interface ValidationIssue {
  readonly path: string;
  readonly message: string;
  readonly reason: string;
  readonly allowed?: readonly string[];
  readonly suggestions?: readonly string[];
}

/** The body of every error response, `application/problem+json`. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly instance: string;
  readonly request_id: string;
  readonly errors?: readonly ValidationIssue[];
  readonly [member: string]: unknown;
}
