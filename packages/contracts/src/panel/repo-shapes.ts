/** A repository as returned, and its credential, which is sent but never returned. */
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
  Type.Array(time, { maxItems: 5, description: `next start time of ${of} runs, including jitter` });

const waitReason = {
  reason: Type.Enum([...WORKER_REASONS]),
  hint: Type.String({ description: "the requested change, in one sentence" }),
};
const wouldWait = nullable(
  closed({
    ...waitReason,
    reasons: Type.Array(closed(waitReason), { description: "all required changes, in order" }),
  }),
);

export const Repo = closed(
  {
    id: Type.String(),
    name: Type.String(),
    url: Type.String({ description: "without user and password, which are in the credential" }),
    provider: repoProvider,
    default_branch: nullable(Type.String({ description: "null until the repository was reached" })),
    status: Type.Enum([...REPO_STATUSES]),
    status_reason: nullable(Type.String()),
    ...settingProperties,
    environment: Environment,
    detected: Type.Array(Type.Enum([...DETECTED_SETTINGS]), {
      maxItems: 2,
      description:
        "Commands that were detected from lock files and manifests and not changed since: `setup_cmd` of `verify`, `verify_cmd`",
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
            "succeeded / (succeeded + failed) of the `maintain` runs that ended in the last 30 days. Succeeded: phase `success`. Failed: `failed`, `expired`, `lost`. Cancelled and explore runs do not count. null: no runs count",
        }),
      ),
      candidates_proposed: count,
      memories_pending: count,
    }),
    would_wait: closed(
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
