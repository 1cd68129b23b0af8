/** A run as returned. Properties that only a worker knows are null until it reports them. */
import { Type, type Static } from "typebox";
import {
  BUS_ROLES,
  CHECKS_STATES,
  COST_SOURCES,
  FAILED_CHECKS_MAX,
  FOLLOW_UP_CAUSES,
  ISOLATION_LEVELS,
  NETWORKS,
  QUEUE_REASONS,
  RESULT_CODES,
  REVIEW_STATES,
  RUN_KINDS,
  RUN_PHASES,
  RUN_STATES,
  RUN_TRIGGERS,
  VERDICTS,
} from "./limits.ts";
import { strictObject, count, nullable, time, timeOrNull } from "./schema-helpers.ts";
import { Gate, Limits, priority, Team, verifyCommand } from "./settings-schemas.ts";

const text = Type.String();
const textOrNull = nullable(text);

const check = {
  exit_code: nullable(Type.Integer({ description: "null: ended by a signal or a limit" })),
  duration_ms: count,
};
const commandResult = nullable(strictObject(check, { title: "CommandResult" }));
export type CommandResult = Static<typeof commandResult>;

/** Clients of version 0.1 read the result of a gate here. */
const legacyGateResult = {
  exit_code: nullable(Type.Integer({ deprecated: true, description: "use `result`; null: not run, or no exit code" })),
  duration_ms: Type.Integer({ minimum: 0, deprecated: true, description: "use `result`; 0: not run" }),
};

export const RunVerify = strictObject(
  {
    baseline: nullable(
      strictObject(
        { ...check, cached: Type.Boolean({ description: "reused from an earlier run at the same commit" }) },
        {
          title: "BaselineResult",
          description:
            "the verify command alone, at the base commit; null: no such command, not run, or not reported by an older worker",
        },
      ),
    ),
    attempts: Type.Array(
      strictObject(
        { n: Type.Integer({ minimum: 1 }), ...check, verify: commandResult, gate: commandResult },
        {
          title: "CheckAttempt",
          description:
            "checks after the change; `exit_code` is that of the first failed command, else 0; `verify` and `gate` are the codes of each command, null if not run or unknown",
        },
      ),
    ),
    gate: nullable(
      strictObject(
        { cmd: text, baseline: commandResult, result: commandResult, ...legacyGateResult },
        {
          title: "GateResult",
          description: "the gate alone: `baseline` at the base commit, `result` after the last attempt",
        },
      ),
    ),
    verdict: nullable(Type.Enum([...VERDICTS], { title: "Verdict" })),
  },
  {
    title: "RunVerify",
    description: "a run fixed its checks if `baseline.exit_code` is not 0 and `verdict` is `passed`",
  },
);
export type RunVerify = Static<typeof RunVerify>;

export const RunDiff = strictObject(
  { files: count, insertions: count, deletions: count, patch_id: textOrNull },
  { title: "RunDiff" },
);
export type RunDiff = Static<typeof RunDiff>;

const prProperties = {
  number: Type.Integer({ minimum: 1 }),
  url: text,
  state: Type.Enum(["open", "merged", "closed"]),
  draft: Type.Boolean(),
  adopted: Type.Boolean(),
};
const BarePr = strictObject(prProperties);
export type RunPr = Static<typeof BarePr>;

const followUpCause = Type.Enum([...FOLLOW_UP_CAUSES], { title: "FollowUpCause" });

/** What the forge says about a watched pull request. */
const healthProperties = {
  checks: strictObject(
    {
      state: Type.Enum([...CHECKS_STATES], { title: "ChecksState" }),
      failed: Type.Array(text, { maxItems: FAILED_CHECKS_MAX, description: "names of failed checks" }),
    },
    { title: "PrChecks", description: "of the head commit; `none`: no checks, or the pull request is not watched" },
  ),
  mergeable: nullable(Type.Boolean({ description: "false: conflicts with the base branch; null: unknown" })),
  review: Type.Enum([...REVIEW_STATES], { title: "ReviewState" }),
};
const PrHealth = strictObject(healthProperties);
export type PrHealth = Static<typeof PrHealth>;

export const RunPrStatus = strictObject({ ...prProperties, ...healthProperties }, { title: "RunPr" });

export const FollowUp = strictObject(
  { run_id: text, cause: followUpCause, state: Type.Enum([...RUN_STATES], { title: "RunState" }) },
  { title: "FollowUp" },
);
export type FollowUp = Static<typeof FollowUp>;

const used = {
  input_tokens: count,
  cached_tokens: count,
  output_tokens: count,
  cost_micro: nullable(count),
  turns: count,
};
export const RunUsage = strictObject(
  {
    ...used,
    cost_source: Type.Enum([...COST_SOURCES], { title: "CostSource" }),
    by_role: Type.Partial(
      strictObject(Object.fromEntries(BUS_ROLES.map((role) => [role, strictObject(used, { title: "RoleUsage" })]))),
    ),
  },
  { title: "RunUsage" },
);
export type RunUsage = Static<typeof RunUsage>;

export const RunExplore = strictObject(
  {
    checks_run: Type.Array(text, { description: "number of checks in the scan" }),
    checks_skipped: Type.Array(strictObject({ check: text, reason: text }), {
      description: "checks that could not run",
    }),
    proposed: Type.Integer({ minimum: 0, description: "candidates that are new or proposed again" }),
    confirmed: Type.Integer({ minimum: 0, description: "earlier candidates that still fail" }),
    fixed: Type.Integer({ minimum: 0, description: "earlier candidates that now pass" }),
    suppressed: Type.Integer({ minimum: 0, description: "findings that were rejected, snoozed or delivered earlier" }),
    dropped_green: Type.Integer({ minimum: 0, description: "findings whose gate already passes" }),
    unproved: Type.Integer({ minimum: 0, description: "findings whose gate could not run" }),
    refused: Type.Integer({ minimum: 0, description: "malformed findings, or findings beyond `max_candidates`" }),
  },
  { title: "RunExplore" },
);
export type RunExplore = Static<typeof RunExplore>;

export const Run = strictObject(
  {
    id: text,
    repo_id: text,
    repo_name: text,
    kind: Type.Enum([...RUN_KINDS], { title: "RunKind" }),
    state: Type.Enum([...RUN_STATES], { title: "RunState" }),
    phase: Type.Enum([...RUN_PHASES], { title: "RunPhase" }),
    queue_reason: nullable(Type.Enum([...QUEUE_REASONS], { title: "QueueReason" })),
    // A sentence: what would end the wait, if anyone can act on it.
    queue_hint: textOrNull,
    queue_position: nullable(Type.Integer({ minimum: 1 })),
    priority,
    attempt: count,
    max_attempts: count,
    epoch: count,
    trigger: strictObject(
      {
        type: Type.Enum([...RUN_TRIGGERS], { title: "RunTrigger" }),
        actor: textOrNull,
        candidate_id: textOrNull,
        retry_of: textOrNull,
        scheduled_for: timeOrNull,
        parent_run_id: nullable(
          Type.String({ description: "follow-up runs only: the run that opened the pull request" }),
        ),
        pr_number: nullable(Type.Integer({ minimum: 1 })),
        cause: nullable(followUpCause),
        attempt: nullable(
          Type.Integer({
            minimum: 1,
            description: "follow-up runs only: attempt number, counted since the checks last passed",
          }),
        ),
      },
      { title: "RunTriggerDetails" },
    ),
    focus: text,
    gate: nullable(Gate),
    verify_cmd: verifyCommand,
    team: Team,
    limits: Limits,
    memory_ids: Type.Array(text),
    settings_revision: Type.Integer({ minimum: 1 }),
    base: strictObject({ branch: textOrNull, sha: textOrNull }),
    branch: textOrNull,
    head_sha: textOrNull,
    worker: nullable(strictObject({ id: text, name: text })),
    lease_expires_at: timeOrNull,
    isolation: strictObject({
      level: Type.Enum([...ISOLATION_LEVELS], { title: "IsolationLevel" }),
      network: Type.Enum([...NETWORKS], { title: "Network" }),
    }),
    verify: RunVerify,
    diff: nullable(RunDiff),
    explore: nullable(RunExplore),
    pr: nullable(RunPrStatus),
    follow_ups: Type.Array(FollowUp, { description: "runs that repair the pull request of this run, oldest first" }),
    usage: RunUsage,
    result: nullable(
      strictObject(
        { code: Type.Enum([...RESULT_CODES], { title: "ResultCode" }), message: text, retryable: Type.Boolean() },
        { title: "RunResult" },
      ),
    ),
    cancel_requested_at: timeOrNull,
    warnings: Type.Array(text),
    times: strictObject(
      {
        queued_at: time,
        leased_at: timeOrNull,
        started_at: timeOrNull,
        pushed_at: timeOrNull,
        ended_at: timeOrNull,
      },
      { title: "RunTimes" },
    ),
    bus: strictObject({ url: text, last_seq: count }),
    revision: Type.Integer({ minimum: 1 }),
  },
  { title: "Run" },
);
export type Run = Static<typeof Run>;
export type RunGate = Static<typeof Gate>;
