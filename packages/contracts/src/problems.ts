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
  option_unknown: entry(
    400,
    "The expert has no such route",
    "`options` as a list restricts the expert to some of its routes, and it has no route of a name listed in `errors`. GET /v1/experts lists them; a map in `options` is a vocabulary of your own.",
  ),
  too_few_examples: entry(
    400,
    "Some routes have too few texts",
    "A route is learned from at least 5 distinct texts, of `phrasings`, of `examples`, or of both. `errors` points at every route that has fewer; nothing was created.",
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
  wallet_token_required: entry(
    401,
    "A wallet token is needed",
    "Send the wallet's token as `X-Rail-Wallet: <token>` or as `Authorization: Bearer <token>`. POST /v1/wallets creates a wallet.",
  ),
  wallet_token_invalid: entry(
    401,
    "The wallet token is not valid",
    "No open wallet has this token: it was mistyped, rotated, of the other mode, or its wallet is closed. Its last 7 symbols are a checksum.",
  ),
  service_token_required: entry(
    401,
    "A service token is needed",
    "These paths are between the gateway and the rail: send `Authorization: Bearer rail_svc_…`, from the file `service-token` of the data folder or RAIL_SERVICE_TOKEN.",
  ),
  admin_token_required: entry(
    401,
    "The operator's token is needed",
    "Send `Authorization: Bearer rail_admin_…`. The operator finds it in `credentials.json` or makes one with `triptych rail token`.",
  ),
  token_invalid: entry(
    401,
    "The router's token is needed",
    "This router was started with ROUTER_TOKEN: send it as `Authorization: Bearer <token>`.",
  ),
  unauthenticated: entry(
    401,
    "You are not signed in",
    "Send `Authorization: Bearer pnl_…` with an access token, or sign in: POST /api/auth/login. The same answer is given to a token or password that is wrong, withdrawn or out of date.",
  ),
  wallet_required: entry(
    402,
    "Payment required",
    "Send `X-Rail-Wallet`. A wallet costs nothing: POST /v1/wallets on the rail with an e-mail address.",
  ),
  wallet_unknown: entry(
    402,
    "Payment required",
    "No open wallet has this token: it was mistyped, rotated, of the other mode, or its wallet is closed. Create another on the rail.",
  ),
  wallet_empty: entry(
    402,
    "Payment required",
    "The wallet holds less than this costs. Top it up on the rail; the very next call is then accepted.",
  ),
  entitlement_required: entry(
    402,
    "Payment required",
    "This has to be bought once. `purchase` holds the exact call to make on the rail.",
  ),
  wallet_frozen: entry(
    403,
    "The wallet is frozen",
    "A refund or a dispute took more than the wallet held, or the operator froze it. Nothing is charged until the operator unfreezes it.",
  ),
  signature_invalid: entry(
    400,
    "The signature is not valid",
    "The event was not signed with a secret of this endpoint, or longer ago than five minutes. Nothing was changed.",
  ),
  plan_required: entry(
    403,
    "The plan does not include this",
    "Your current plan does not have this feature. Ask the operator for the plan that has it.",
  ),
  scope_required: entry(
    403,
    "The token may not do this",
    "The access token lacks a scope: `read` reads, `write` changes, `admin` manages the license key and tokens. Create a token that has it.",
  ),
  csrf_failed: entry(
    403,
    "The request does not come from our own page",
    "A change made with a session cookie needs `Sec-Fetch-Site: same-origin`, our own `Origin`, or, without both, `X-CSRF-Token` from GET /api/auth/session. Programs use an access token.",
  ),
  account_suspended: entry(
    403,
    "The account is suspended",
    "Everything can be read, nothing changed. Ask the operator.",
  ),
  local_repo_forbidden: entry(
    403,
    "Repositories on this machine's disk are not allowed",
    "Give an address over http(s) or ssh, or have the operator start the panel with PANEL_ALLOW_LOCAL_REPOS=1.",
  ),
  isolation_below_minimum: entry(
    403,
    "The isolation level is below the operator's minimum",
    "Set `isolation.level_required` to `minimum` or above. The operator sets the minimum with PANEL_ISOLATION_MIN.",
  ),
  router_token_required: entry(
    403,
    "This router needs a token for that",
    "The router listens beyond its own machine and was started without ROUTER_TOKEN: whoever reaches it may decide, but not change heads or give feedback. Start it with ROUTER_TOKEN.",
  ),
  head_read_only: entry(
    403,
    "A shipped expert is not recalibrated",
    "Feedback about a shipped expert is counted only. Train a head of your own to have it recalibrated; send the feedback without `recalibrate`.",
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
  expert_not_found: entry(
    404,
    "There is no such expert",
    "No expert of this name or id can be asked by you. GET /v1/experts lists those that can; `suggestions` names the nearest.",
  ),
  head_not_found: entry(404, "There is no such head", "No head of yours has this id. GET /v1/heads lists them all."),
  wallet_not_found: entry(404, "There is no such wallet", "No wallet of this mode has this id or token."),
  charge_not_found: entry(404, "There is no such charge", "No charge of this wallet has this id."),
  receipt_not_found: entry(404, "There is no such receipt", "No charge or purchase of this wallet has this id."),
  topup_not_found: entry(404, "There is no such top-up", "No top-up of this wallet has this id."),
  key_not_found: entry(404, "There is no such key", "No signing key has this id. GET /v1/admin/keys lists them all."),
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
  idempotency_in_progress: entry(
    409,
    "The first request with this key is still running",
    "Wait as long as `Retry-After` says and send the same request again: it is answered with the result of the first, or done once.",
  ),
  promotion_gate: entry(
    409,
    "The version has not shown enough",
    "It needs 200 decisions beside the live version, and agreement with it of at least 0.90, or on labelled rows a Wilson lower bound of its accuracy of at least 0.85. `shadow` holds its figures; `force` passes this gate.",
  ),
  head_not_ready: entry(
    409,
    "The head is in another state",
    "What was asked is not possible in the state that `state` names.",
  ),
  head_limit: entry(
    409,
    "There is no room for another head",
    "An owner has at most 100 names and keeps 5 versions of each. Delete what is not needed any more.",
  ),
  repo_exists: entry(
    409,
    "The repository exists already",
    "This account already has a repository with the same address.",
  ),
  revision_conflict: entry(
    409,
    "It was changed since you read it",
    "Someone else changed it. Read it again, check what changed, and send your change with the new `If-Match`.",
  ),
  repo_paused: entry(409, "The repository is paused", "Set its `status` to `active` first."),
  repo_unreachable: entry(
    409,
    "The repository cannot be reached",
    "Check its address and credential. It is checked again every 10 minutes.",
  ),
  run_already_active: entry(
    409,
    "A run with this focus is active",
    "Wait for it, cancel it, or send `parallel: true`.",
  ),
  explore_already_active: entry(409, "An explore run is active", "Wait for it, or cancel it."),
  run_not_cancellable: entry(
    409,
    "The run cannot be cancelled any more",
    "A run that is being pushed, or has ended, cannot be cancelled.",
  ),
  run_not_pushed: entry(
    409,
    "The run has pushed nothing",
    "Only a run that was verified and pushed can get a pull request.",
  ),
  pr_unsupported: entry(
    409,
    "This repository has no pull requests",
    "The provider is plain git. Merge the pushed branch in your Git host, or send the text in `request_pull`.",
  ),
  pr_closed: entry(
    409,
    "The pull request was merged or closed",
    "A pull request that was closed without being merged is opened again with `reopen: true`.",
  ),
  duplicate_patch: entry(
    409,
    "The same change has an open pull request",
    "Another run of this repository made the same change and has an open pull request.",
  ),
  branch_gone: entry(
    409,
    "The branch is gone",
    "It was removed at the forge, and the bundle of the run is not kept any more. Start the run again.",
  ),
  branch_moved: entry(
    409,
    "The branch was moved",
    "Somebody pushed to the branch of the run, so it is not ours any more. Nothing was overwritten.",
  ),
  superseded: entry(
    409,
    "The run has another holder",
    "The lease ended or was given to another worker. Drop the tree and everything that belongs to this epoch.",
  ),
  effect_in_progress: entry(
    409,
    "Already in progress",
    "Another request does the same at this moment. Try again after `Retry-After` seconds.",
  ),
  store_unavailable: entry(
    503,
    "The store takes nothing now",
    "It is overloaded or away, and nothing was changed. Try again after `Retry-After` seconds.",
  ),
  draining: entry(
    503,
    "The service is stopping",
    "It finishes what it has begun and takes nothing new; nothing was done. Try again after `Retry-After` seconds: another process, or this one started anew, will answer.",
  ),
  no_worker_connected: entry(
    503,
    "No worker is connected",
    "Start one with `triptych worker --panel <address>` and the license key in `PANEL_TOKEN`, and try again.",
  ),
  run_not_retryable: entry(
    409,
    "The run cannot be retried",
    "Only failed, cancelled, lost and expired runs can be retried.",
  ),
  candidate_not_proposed: entry(
    409,
    "The candidate is not proposed",
    "Only proposed candidates can be run or rejected.",
  ),
  candidate_rejected: entry(
    409,
    "The candidate was rejected",
    "A rejected candidate cannot be run. Start a run with its focus and gate instead.",
  ),
  candidate_stale: entry(
    409,
    "The candidate is out of date",
    "Its evidence is gone from the repository, and its gate was not run again. Explore again: POST /api/repos/{id}/explore.",
  ),
  trunk_mismatch: entry(
    409,
    "The head stands on another trunk",
    "It was trained with another release of this engine and means nothing to this one. Train it again from its examples.",
  ),
  fenced: entry(
    409,
    "This boot was replaced",
    "Another boot of the same instance has said hello since. Say hello with a new boot id; nothing of this batch was done.",
  ),
  wallet_closed: entry(409, "The wallet is closed", "A closed wallet stays closed. Its entries can still be read."),
  topup_state: entry(
    409,
    "The top-up is in another state",
    "What was asked is not possible in the state that `topup_status` names.",
  ),
  charge_state: entry(
    409,
    "The charge is in another state",
    "Only a delivered charge can be refunded, and only once. `state` names the state it is in.",
  ),
  balance_too_low: entry(
    409,
    "The wallet holds less than that",
    "A wallet never goes below zero. `paid_micro` names what can be taken.",
  ),
  rotation_pending: entry(
    409,
    "The next key is published already",
    "It becomes active 24 h after it was published. Wait for that, or revoke it first.",
  ),
  statement_too_long: entry(
    409,
    "The month holds more than a statement does",
    "A statement is signed as a whole and holds at most `movements_max` movements. Read the entries of the month page by page instead: they are chained.",
  ),
  payload_too_large: entry(413, "The body is too large", "Send less at once. The limit is in `detail`."),
  too_large: entry(413, "The body is too large", "Send less at once; nothing was done."),
  uri_too_long: entry(414, "The URL is too long", "A URL may have at most 8 KiB."),
  unsupported_media_type: entry(
    415,
    "The media type is not supported",
    "Send JSON with `Content-Type: application/json`.",
  ),
  misdirected_request: entry(
    421,
    "Host not allowed",
    "Without a token the service answers only for loopback hosts, its public address and the configured hosts. This prevents DNS rebinding. Set the variable named in `detail`, or set a token.",
  ),
  idempotency_key_reused: entry(
    422,
    "The idempotency key belongs to another request",
    "The same `Idempotency-Key` came before with another payload. Nothing was done; take a new key for a new request.",
  ),
  rate_limited: entry(
    429,
    "Too many requests",
    "What you asked with has used up its requests for now: of the last minute, or of the time that `detail` names. Wait as many seconds as `Retry-After` says: a client that does is accepted.",
  ),
  training_queue_full: entry(
    429,
    "Too many heads wait for their training",
    "Two heads are trained at a time and 16 wait. Nothing was created; try again after `Retry-After` seconds.",
  ),
  quota_exceeded: entry(
    429,
    "The quota is used up",
    "All that the key or plan allows in this day or month (UTC) was used. It starts again after `Retry-After` seconds, or, where time does not heal it (403), with a larger plan: that is the operator's to give.",
  ),
  headers_too_large: entry(431, "The headers are too large", "Send fewer or shorter headers."),
  internal: entry(
    500,
    "Something went wrong on our side",
    "The fault was logged under `request_id`. Nothing was charged. Try again later.",
  ),
  forge_error: entry(
    502,
    "The forge or repository failed",
    "The Git host did not answer, or answered with an error. Try again, after `Retry-After` seconds if it is sent.",
  ),
  router_failed: entry(
    502,
    "The router failed",
    "The router answered with a fault of its own. Nothing was charged; try again after `Retry-After` seconds.",
  ),
  router_unavailable: entry(
    503,
    "The router cannot be reached",
    "Nothing was charged. Try again after `Retry-After` seconds.",
  ),
  rail_unavailable: entry(
    503,
    "The payment rail cannot be reached",
    "What cannot be charged is not answered, and what is not answered is not charged. Try again after `Retry-After` seconds.",
  ),
  provider_unavailable: entry(
    503,
    "The payment provider cannot be reached",
    "No money moved. Try again after `Retry-After` seconds.",
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
