/** A repository as returned, and its credential, which is sent but never returned. */
import { Type, type Static } from "typebox";
import {
  AI_OVERRIDE_REASON_MAX,
  AI_STANCES,
  CHECK_MESSAGE_MAX,
  CHECK_STATES,
  CREDENTIAL_BYTES_MAX,
  DETECTED_HOSTS_MAX,
  DETECTED_SETTINGS,
  PROVIDERS_OF_REPOS,
  REPO_NAME_MAX,
  REPO_STATUSES,
  RUN_STATES,
  WORKER_REASONS,
} from "./limits.ts";
import { strictObject, count, nullable, time, timeOrNull } from "./schema-helpers.ts";
import { Environment } from "./environment-schemas.ts";
import { settingProperties } from "./settings-schemas.ts";

export const CREDENTIAL_KINDS = ["token", "basic", "ssh_key", "github_app", "none"] as const;
const secret = Type.String({ minLength: 1, maxLength: CREDENTIAL_BYTES_MAX });

export const CredentialSent = Type.Union(
  [
    strictObject({ kind: Type.Literal("none") }),
    strictObject({ kind: Type.Literal("token"), token: secret, username: Type.Optional(secret) }),
    strictObject({ kind: Type.Literal("basic"), username: secret, token: secret }),
    strictObject({ kind: Type.Literal("ssh_key"), private_key: secret }),
    strictObject({
      kind: Type.Literal("github_app"),
      app_id: Type.Integer({ minimum: 1 }),
      installation_id: Type.Optional(
        Type.Integer({ minimum: 1, description: "looked up by the repository's address if omitted" }),
      ),
      private_key: Type.String({
        minLength: 1,
        maxLength: CREDENTIAL_BYTES_MAX,
        description: "RSA key in PEM form, as GitHub generates it",
      }),
    }),
  ],
  { title: "Credential" },
);
export type CredentialSent = Static<typeof CredentialSent>;

export const repoProvider = Type.Enum([...PROVIDERS_OF_REPOS], { title: "RepoProvider" });
export const repoName = Type.String({ minLength: 1, maxLength: REPO_NAME_MAX, pattern: "\\S" });

const nextTimes = (of: string) =>
  Type.Array(time, { maxItems: 5, description: `next start time of ${of} runs, including jitter` });

const waitReason = {
  reason: Type.Enum([...WORKER_REASONS], { title: "WorkerReason" }),
  hint: Type.String({ description: "the requested change, in one sentence" }),
};
const wouldWait = nullable(
  strictObject(
    {
      ...waitReason,
      reasons: Type.Array(strictObject(waitReason, { title: "WaitReason" }), {
        description: "all required changes, in order",
      }),
    },
    { title: "RepoWait" },
  ),
);

const commandEnd = nullable(
  strictObject(
    {
      exit_code: nullable(Type.Integer({ description: "null if a signal or a limit ended the command" })),
      duration_ms: count,
    },
    { title: "RepoCheckCommand" },
  ),
);

export const RepoCheck = strictObject(
  {
    state: Type.Enum([...CHECK_STATES], {
      description:
        "`pending`: no worker has started it. `failed`: a command exited with a code other than 0. `unavailable`: a command could not be run",
    }),
    message: nullable(
      Type.String({
        maxLength: CHECK_MESSAGE_MAX,
        description: "why the check is `unavailable`, or the last output of the failed command",
      }),
    ),
    setup: commandEnd,
    verify: commandEnd,
    checked_at: timeOrNull,
  },
  { title: "RepoCheck" },
);
export type RepoCheck = Static<typeof RepoCheck>;

export const AiPolicy = strictObject(
  {
    stance: Type.Enum([...AI_STANCES], {
      title: "AiStance",
      description:
        "`forbidden`: no contributions made with AI. `human_only`: a person must open or review them. `disclose`: they must name the agent and the model",
    }),
    source: nullable(Type.String({ description: "file and line of the quote: `CONTRIBUTING.md:12`" })),
    quote: nullable(Type.String({ description: "the sentence, redacted; at most 300 characters" })),
    checked_at: timeOrNull,
    override: nullable(Type.String({ description: "who overrode the policy, and why" })),
  },
  { title: "AiPolicy", description: "the project's policy on contributions made with AI" },
);
export type AiPolicy = Static<typeof AiPolicy>;

export const aiPolicyPatch = strictObject(
  {
    override: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: AI_OVERRIDE_REASON_MAX,
          pattern: "\\S",
          description: "the reason; your name is added. null applies the policy again",
        }),
      ),
    ),
  },
  { title: "AiPolicyPatch" },
);

export const Repo = strictObject(
  {
    id: Type.String(),
    name: Type.String(),
    url: Type.String({ description: "without user and password, which are stored in the credential" }),
    provider: repoProvider,
    default_branch: nullable(Type.String({ description: "null until the repository was reached" })),
    status: Type.Enum([...REPO_STATUSES], { title: "RepoStatus" }),
    status_reason: nullable(Type.String()),
    ...settingProperties,
    environment: Environment,
    ai_policy: AiPolicy,
    detected: Type.Array(Type.Enum([...DETECTED_SETTINGS]), {
      maxItems: 2,
      description:
        "Commands that were detected from lock files and manifests and have not been changed since: `setup_cmd` of `verify`, `verify_cmd`",
    }),
    detected_hosts: Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: DETECTED_HOSTS_MAX,
      description:
        "Download hosts named in the lock file, read when the repository was first reached. `isolation.allow_hosts` may need them",
    }),
    check: Type.Union([RepoCheck, Type.Null()], {
      description: "the last check of the setup and verify commands at the default branch; null if there was none",
    }),
    credential: strictObject(
      {
        kind: Type.Enum([...CREDENTIAL_KINDS]),
        set: Type.Boolean(),
        checked_at: timeOrNull,
        push: nullable(Type.Boolean()),
        open_pr: nullable(Type.Boolean()),
      },
      { title: "CredentialStatus" },
    ),
    stats: strictObject(
      {
        open_prs: count,
        last_run_id: nullable(Type.String()),
        last_run_state: nullable(Type.Enum([...RUN_STATES], { title: "RunState" })),
        success_rate_30d: nullable(
          Type.Number({
            minimum: 0,
            maximum: 1,
            description:
              "succeeded / (succeeded + failed) of the `maintain` runs that ended in the last 30 days. Succeeded: phase `success`. Failed: `failed`, `expired`, `lost`. Cancelled and explore runs do not count. null: no runs count",
          }),
        ),
        merge_rate_30d: nullable(
          Type.Number({
            minimum: 0,
            maximum: 1,
            description:
              "merged / (merged + closed without a merge) of the pull requests of runs that ended in the last 30 days. null: none ended",
          }),
        ),
        cost_per_merged_pr_micro_30d: nullable(
          Type.Integer({
            minimum: 0,
            description:
              "micro-euros: cost of all `maintain` runs that ended in the last 30 days, follow-ups and failed runs included, divided by the pull requests merged in that time. null: none was merged, or the cost of some run is unknown",
          }),
        ),
        candidates_proposed: count,
        memories_pending: count,
      },
      { title: "RepoStats" },
    ),
    would_wait: strictObject(
      { run: wouldWait, explore: wouldWait },
      { description: "what a new run or explore run would wait for; null: a connected worker is suitable" },
    ),
    next_runs: nextTimes("`schedule`"),
    next_explores: nextTimes("`explore.schedule`"),
    revision: Type.Integer({ minimum: 1 }),
    created_at: time,
    updated_at: time,
  },
  { title: "Repo" },
);
export type Repo = Static<typeof Repo>;
