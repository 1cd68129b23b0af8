export const PLANS = ["free", "pro", "team"] as const;
export type PlanId = (typeof PLANS)[number];

export const SCOPES = ["read", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export const PROVIDERS_OF_REPOS = ["github", "gitlab", "gitea", "git"] as const;
export type RepoProvider = (typeof PROVIDERS_OF_REPOS)[number];
export const REPO_STATUSES = ["checking", "active", "paused", "unreachable"] as const;
export type RepoStatus = (typeof REPO_STATUSES)[number];

export const DETECTED_SETTINGS = ["setup_cmd", "verify_cmd"] as const;
export type DetectedSetting = (typeof DETECTED_SETTINGS)[number];

/** The strictest comes first. */
export const AI_STANCES = ["forbidden", "human_only", "disclose", "none"] as const;
export type AiStance = (typeof AI_STANCES)[number];
export const AI_OVERRIDE_REASON_MAX = 300;

export const DETECTED_HOSTS_MAX = 10;

export const CHECK_STATES = ["pending", "running", "passed", "failed", "unavailable"] as const;
export type CheckState = (typeof CHECK_STATES)[number];
export const CHECK_MESSAGE_MAX = 2_000;

export const RUN_KINDS = ["maintain", "explore"] as const;
export type RunKind = (typeof RUN_KINDS)[number];
export const RUN_STATES = [
  "queued",
  "leased",
  "preparing",
  "running",
  "verifying",
  "pushing",
  "pushed",
  "pr_open",
  "succeeded",
  "no_change",
  "failed",
  "cancelled",
  "expired",
  "lost",
] as const;
export type RunState = (typeof RUN_STATES)[number];
export const RUN_PHASES = ["active", "attention", "success", "failure"] as const;
export type RunPhase = (typeof RUN_PHASES)[number];
export const RUN_TRIGGERS = ["manual", "schedule", "candidate", "retry", "demo", "follow_up"] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];
/** Why a run repairs an open pull request, in the order in which they are handled. */
export const FOLLOW_UP_CAUSES = ["checks", "conflict", "review"] as const;
export type FollowUpCause = (typeof FOLLOW_UP_CAUSES)[number];
export const CHECKS_STATES = ["pending", "passed", "failed", "none"] as const;
export type ChecksState = (typeof CHECKS_STATES)[number];
export const REVIEW_STATES = ["none", "approved", "changes_requested"] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];
/** Maximum names of failed checks in a pull request; the rest are omitted. */
export const FAILED_CHECKS_MAX = 50;
/** Reasons that do not resolve with time: a worker must connect, or a setting must change. */
export const WORKER_REASONS = ["no_worker", "no_worker_with_cli", "no_worker_with_isolation"] as const;
export type WorkerReason = (typeof WORKER_REASONS)[number];
export const QUEUE_REASONS = [
  "no_worker",
  "no_worker_with_cli",
  "no_worker_with_isolation",
  "plan_concurrency",
  "repo_busy",
  "repo_paused",
  "repo_unreachable",
  "retry_delay",
  "workers_full",
] as const;
export type QueueReason = (typeof QUEUE_REASONS)[number];
export const RESULT_CODES = [
  "ok",
  "gate_not_red",
  "verify_failed",
  "baseline_broken",
  "agent_error",
  "agent_auth",
  "cost_cap",
  "token_cap",
  "turn_cap",
  "timeout",
  "idle_timeout",
  "policy_violation",
  "policy_forbids",
  "protected_path",
  "diff_too_large",
  "secret_in_diff",
  "clone_failed",
  "setup_failed",
  "checks_unavailable",
  "merge_conflict",
  "push_refused",
  "branch_moved",
  "follow_up_exhausted",
  "isolation_unavailable",
  "bundle_invalid",
  "worker_lost",
  "cancelled",
  "expired",
  "internal",
] as const;
export type ResultCode = (typeof RESULT_CODES)[number];

export const MISSED_POLICIES = ["skip", "run_once"] as const;
/** Outcome of a scheduled time: a run, or the reason why none was started. */
export const FIRE_RESULTS = [
  "started",
  "missed",
  "run_active",
  "max_open_prs",
  "quota",
  "plan_required",
  "repo_paused",
  "repo_unreachable",
  "account_suspended",
  "policy_forbids",
] as const;
export type FireResult = (typeof FIRE_RESULTS)[number];

export const VERDICTS = ["passed", "failed", "baseline_broken", "gate_only", "flaky", "skipped"] as const;
export const COST_SOURCES = ["reported", "estimated", "unknown"] as const;

export const ISOLATION_LEVELS = ["none", "worktree", "sandbox", "container"] as const;
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number];
export const NETWORKS = ["none", "model_only", "allow_list", "open"] as const;
export const SCOUTS = ["auto", "scan", "agent", "both"] as const;
export const REJECT_SCOPES = ["this", "major", "always"] as const;
export const SCAN_CHECKS = [
  "verify_red",
  "verify_slow",
  "todo",
  "missing_test",
  "deps_outdated",
  "deps_vulnerable",
  "dead_link",
  "missing_file",
  "large_file",
] as const;
export type ScanCheck = (typeof SCAN_CHECKS)[number];
export type Network = (typeof NETWORKS)[number];
export const UPDATE_GROUPS = ["none", "minor", "all"] as const;
export const MIN_RELEASE_AGE_DAYS_MAX = 90;
export const TEAM_PRESETS = ["solo", "pair", "trio"] as const;
export const TEAM_ROLES = ["planner", "coder", "reviewer"] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];
export const BUS_ROLES = [...TEAM_ROLES, "scout", "worker", "panel"] as const;
export const BUS_KINDS = [
  "state",
  "plan",
  "task",
  "message",
  "tool_call",
  "tool_result",
  "diff",
  "verify",
  "review",
  "verdict",
  "usage",
  "memory_proposal",
  "candidate",
  "log",
  "error",
  "gap",
] as const;
export type BusRole = (typeof BUS_ROLES)[number];
export type BusKind = (typeof BUS_KINDS)[number];
/** Media types of a run's bus; the first is the default without `Accept`. */
export const BUS_MEDIA = ["application/json", "text/event-stream"] as const;
export const CHANGES_MEDIA = ["text/event-stream"] as const;
/** Longer texts become artifacts. */
export const BUS_TEXT_BYTES = 16 * 1024;

export const MEMORY_KINDS = ["convention", "command", "pitfall", "decision", "preference"] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];
export const MEMORY_STATUSES = ["active", "pending"] as const;
export type MemoryStatus = (typeof MEMORY_STATUSES)[number];
export const MEMORY_TEXT_MAX = 2_000;

export const CANDIDATE_STATES = ["proposed", "selected", "rejected", "done"] as const;
export type CandidateState = (typeof CANDIDATE_STATES)[number];
export const CANDIDATE_CATEGORIES = ["bug", "security", "test", "deps", "perf", "docs", "cleanup"] as const;
export type CandidateCategory = (typeof CANDIDATE_CATEGORIES)[number];
export const CANDIDATE_EFFORTS = ["s", "m", "l"] as const;
export const CANDIDATE_RISKS = ["low", "medium", "high"] as const;

export const ATTEMPTS_MAX = 3;
export const PAGE_MAX = 200;
export const PAGE_SIZE = 50;
export const REPO_URL_MAX = 2_048;
export const REPO_NAME_MAX = 200;
/** The largest credential is a private key. */
export const CREDENTIAL_BYTES_MAX = 16 * 1024;
export const LICENSE_BODY_BYTES = 16 * 1024;
export const LICENSE_PATH = "/api/account/license";
export const FRAME_BYTES_MAX = 256 * 1024;
export const WORKER_SUBPROTOCOL = "panel.worker.v1";
export const BUNDLE_BYTES_MAX = 64 * 1024 * 1024;
export const ARTIFACT_BYTES_MAX = 4 * 1024 * 1024;
/** Maximum body of a git client's pack request. */
export const GIT_REQUEST_BYTES_MAX = 8 * 1024 * 1024;
