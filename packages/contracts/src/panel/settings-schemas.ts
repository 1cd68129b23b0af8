/** Settings of a repository: as sent (a merge patch with shorthands) and as returned (canonical). */
import { Type, type Static, type TProperties } from "typebox";
import {
  FOLLOW_UP_CAUSES,
  ISOLATION_LEVELS,
  MIN_RELEASE_AGE_DAYS_MAX,
  MISSED_POLICIES,
  NETWORKS,
  SCAN_CHECKS,
  SCOUTS,
  TEAM_PRESETS,
  TEAM_ROLES,
  UPDATE_GROUPS,
} from "./limits.ts";
import { strictObject, nullable } from "./schema-helpers.ts";

const command = Type.String({ minLength: 1, maxLength: 2_000 });
const globs = (most: number) => Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: most });
const names = (most: number) => Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: most });
const whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
const cap = (minimum = 1) => nullable(whole(minimum, 1_000_000_000_000));

export const focus = Type.String({ minLength: 1, maxLength: 4_000, pattern: "\\S" });
export const verifyCommand = nullable(command);
export const priority = whole(-10, 10);
export const scout = Type.Enum([...SCOUTS]);
export const checks = Type.Array(Type.Enum([...SCAN_CHECKS], { title: "ScanCheck" }), { minItems: 1, maxItems: 50 });
export const areas = globs(20);

const verify = {
  setup_cmd: nullable(command),
  timeout_s: whole(5, 7_200),
  retries: whole(0, 3),
  baseline: Type.Boolean(),
};
const member = strictObject(
  {
    role: Type.Enum([...TEAM_ROLES], { title: "TeamRole" }),
    cli: Type.String({ minLength: 1, maxLength: 60 }),
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    command: Type.Optional(Type.Array(Type.String({ maxLength: 2_000 }), { minItems: 1, maxItems: 100 })),
  },
  { title: "TeamMember" },
);
const team = {
  preset: Type.Enum([...TEAM_PRESETS], { title: "TeamPreset" }),
  max_rounds: whole(1, 5),
  members: Type.Array(member, { maxItems: 5 }),
};
const cron = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "minute, hour, day of month, month, weekday; or @hourly @daily @weekly @monthly",
});
const schedule = {
  enabled: Type.Boolean(),
  cron: nullable(cron),
  timezone: Type.String({ minLength: 1, maxLength: 100, description: "IANA time zone of both schedules" }),
  jitter_s: whole(0, 3_600),
  missed: Type.Enum([...MISSED_POLICIES]),
  max_open_prs: whole(1, 20),
};
/** Settings of explore runs. */
const scouting = {
  enabled: Type.Boolean(),
  scout,
  max_candidates: whole(1, 50),
  areas,
  checks: nullable(checks),
};
const explore = { ...scouting, schedule: nullable(cron) };
const limits = {
  timeout_s: whole(60, 86_400),
  idle_timeout_s: whole(30, 7_200),
  max_cost_micro: cap(0),
  max_tokens: cap(),
  max_turns: cap(),
  max_changed_files: cap(),
  max_diff_lines: cap(),
  disk_mb: cap(),
  memory_mb: cap(),
  processes: cap(),
};
const pr = {
  auto: Type.Boolean(),
  draft: Type.Boolean(),
  labels: names(10),
  reviewers: names(10),
  title_prefix: Type.String({ maxLength: 100 }),
};
const followUp = {
  enabled: Type.Boolean(),
  max_attempts: Type.Integer({ minimum: 1, maximum: 10, description: "follow-up runs until the checks pass" }),
  on: Type.Array(Type.Enum([...FOLLOW_UP_CAUSES], { title: "FollowUpCause" }), { minItems: 1, maxItems: 3 }),
  ignore_label: Type.String({ minLength: 1, maxLength: 100, description: "label of pull requests to leave alone" }),
};
const deps = {
  min_release_age_days: Type.Integer({
    minimum: 0,
    maximum: MIN_RELEASE_AGE_DAYS_MAX,
    description:
      "releases younger than this are not proposed and fail the gate; versions that fix an advisory are exempt",
  }),
  group: Type.Enum([...UPDATE_GROUPS], {
    title: "UpdateGroup",
    description:
      "`minor`: one candidate per manifest for all updates without breaking changes. `all`: one for all updates. `none`: one per package",
  }),
};
const isolation = {
  network: Type.Enum([...NETWORKS], { title: "Network" }),
  allow_hosts: names(50),
  level_required: Type.Enum([...ISOLATION_LEVELS], { title: "IsolationLevel" }),
};

export const Limits = strictObject(limits, { title: "Limits" });
export const Team = strictObject(team, { title: "Team" });
export const Verify = strictObject(verify, { title: "VerifySettings" });
export const DependencySettings = strictObject(deps, {
  title: "DependencySettings",
  description: "how explore runs propose dependency updates",
});
export const Isolation = strictObject(isolation, { title: "Isolation" });

export const Scouting = strictObject(scouting);
export type Scouting = Static<typeof Scouting>;

export const settingProperties = {
  focus,
  verify_cmd: verifyCommand,
  verify: Verify,
  team: Team,
  schedule: strictObject(schedule, { title: "Schedule" }),
  explore: strictObject(explore, { title: "ExploreSettings" }),
  limits: Limits,
  pr: strictObject(pr, { title: "PullRequestSettings" }),
  follow_up: strictObject(followUp, {
    title: "FollowUpSettings",
    description: "watches open pull requests and repairs them with new runs on the same branch",
  }),
  deps: DependencySettings,
  isolation: Isolation,
  protected_paths: globs(50),
};
const RepoSettings = strictObject(settingProperties, { title: "RepoSettings" });
export type RepoSettings = Static<typeof RepoSettings>;

/** Omitted members stay unchanged; null restores the default. */
const part = <P extends TProperties>(properties: P, title: string) => {
  const parts: TProperties = {};
  for (const [name, schema] of Object.entries(properties)) parts[name] = Type.Optional(nullable(schema));
  return strictObject(
    parts as { [K in keyof P]: ReturnType<typeof Type.Optional<ReturnType<typeof nullable<P[K]>>>> },
    { title },
  );
};

export const teamPatch = Type.Union([Type.Enum([...TEAM_PRESETS], { title: "TeamPreset" }), part(team, "TeamPatch")]);

/** Members of POST /api/repos and of PATCH /api/repos/{id}. */
export const settingPatches = {
  focus: Type.Optional(nullable(focus)),
  verify_cmd: Type.Optional(verifyCommand),
  verify: Type.Optional(nullable(part(verify, "VerifyPatch"))),
  team: Type.Optional(nullable(teamPatch)),
  schedule: Type.Optional(nullable(Type.Union([cron, part(schedule, "SchedulePatch")]))),
  explore: Type.Optional(nullable(Type.Union([Type.Boolean(), part(explore, "ExplorePatch")]))),
  limits: Type.Optional(nullable(part(limits, "LimitsPatch"))),
  pr: Type.Optional(nullable(part(pr, "PullRequestPatch"))),
  follow_up: Type.Optional(nullable(Type.Union([Type.Boolean(), part(followUp, "FollowUpPatch")]))),
  deps: Type.Optional(nullable(part(deps, "DependencyPatch"))),
  isolation: Type.Optional(nullable(part(isolation, "IsolationPatch"))),
  protected_paths: Type.Optional(nullable(globs(50))),
};
const SettingsPatch = strictObject(settingPatches);
export type SettingsPatch = Static<typeof SettingsPatch>;
export type TeamPatch = Static<typeof teamPatch>;

export const Gate = strictObject(
  {
    cmd: command,
    expect: Type.Optional(Type.Enum(["exit_zero"])),
    baseline: Type.Optional(Type.Enum(["must_fail", "must_pass", "none"])),
    timeout_s: Type.Optional(whole(5, 7_200)),
    frozen_paths: Type.Optional(globs(50)),
  },
  { title: "Gate" },
);
