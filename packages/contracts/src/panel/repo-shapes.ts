/** A repo as it is answered, and the credential as it is sent and never answered. */
import { Type, type Static } from "typebox";
import {
  CREDENTIAL_BYTES_MAX,
  DETECTED_SETTINGS,
  PROVIDERS_OF_REPOS,
  REPO_NAME_MAX,
  REPO_STATUSES,
  RUN_STATES,
  WORKER_REASONS,
} from "./limits.ts";
import { closed, count, nullable, time, timeOrNull } from "./pieces.ts";
import { Environment } from "./environment-shapes.ts";
import { settingProperties } from "./settings-shapes.ts";

export const CREDENTIAL_KINDS = ["token", "basic", "ssh_key", "none"] as const;
const secret = Type.String({ minLength: 1, maxLength: CREDENTIAL_BYTES_MAX });

export const CredentialSent = Type.Union([
  closed({ kind: Type.Literal("none") }),
  closed({ kind: Type.Literal("token"), token: secret, username: Type.Optional(secret) }),
  closed({ kind: Type.Literal("basic"), username: secret, token: secret }),
  closed({ kind: Type.Literal("ssh_key"), private_key: secret }),
]);
export type CredentialSent = Static<typeof CredentialSent>;

export const repoProvider = Type.Enum([...PROVIDERS_OF_REPOS]);
export const repoName = Type.String({ minLength: 1, maxLength: REPO_NAME_MAX, pattern: "\\S" });

const nextTimes = (of: string) =>
  Type.Array(time, { maxItems: 5, description: `when runs of ${of} begin next, its jitter included` });

const waitReason = {
  reason: Type.Enum([...WORKER_REASONS]),
  hint: Type.String({ description: "what to change, in a sentence" }),
};
const wouldWait = nullable(
  closed({
    ...waitReason,
    reasons: Type.Array(closed(waitReason), { description: "everything to change, the first to do first" }),
  }),
);

export const Repo = closed(
  {
    id: Type.String(),
    name: Type.String(),
    url: Type.String({ description: "without user and password: those are the credential" }),
    provider: repoProvider,
    default_branch: nullable(Type.String({ description: "null until the repository was reached" })),
    status: Type.Enum([...REPO_STATUSES]),
    status_reason: nullable(Type.String()),
    ...settingProperties,
    environment: Environment,
    detected: Type.Array(Type.Enum([...DETECTED_SETTINGS]), {
      maxItems: 2,
      description:
        "Commands that the first contact detected from lock files and manifests, and that nobody has changed since: `setup_cmd` of `verify`, `verify_cmd`",
    }),
    credential: closed({
      kind: Type.Enum([...CREDENTIAL_KINDS]),
      set: Type.Boolean(),
      checked_at: timeOrNull,
      push: nullable(Type.Boolean()),
      open_pr: nullable(Type.Boolean()),
    }),
    stats: closed({
      open_prs: count,
      last_run_id: nullable(Type.String()),
      last_run_state: nullable(Type.Enum([...RUN_STATES])),
      success_rate_30d: nullable(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description:
            "succeeded / (succeeded + failed), of the runs of kind `maintain` that ended in the last 30 days. Succeeded: phase `success`. Failed: `failed`, `expired`, `lost`. Cancelled runs and explore runs do not count. null: none counts",
        }),
      ),
      candidates_proposed: count,
      memories_pending: count,
    }),
    would_wait: closed(
      { run: wouldWait, explore: wouldWait },
      { description: "what a run or an explore that is started now would wait for; null: a connected worker fits" },
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
