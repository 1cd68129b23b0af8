import {
  FOLLOW_UP_CAUSES,
  ISOLATION_LEVELS,
  MIN_RELEASE_AGE_DAYS_MAX,
  NETWORKS,
  TEAM_PRESETS,
  UPDATE_GROUPS,
} from "@triptych/contracts/plain";
import { CAUSE_LABELS } from "../../labels/pull-requests.ts";
import { NETWORK_LABELS } from "../../labels/repos.ts";
import type { SettingGroup } from "./setting-field.ts";
import { LIMITS } from "./limit-fields.ts";
import { t } from "../../i18n.ts";

export const WORK: SettingGroup = {
  name: t("Work"),
  fields: [
    { path: "name", label: t("Name"), kind: "text" },
    { path: "focus", label: t("Focus"), kind: "long", hint: t("Default instructions for the agent.") },
    {
      path: "verify_cmd",
      label: t("Test command"),
      kind: "command",
      optional: true,
      hint: t(
        "Runs before and after the change. If it fails after the change, nothing is pushed. Empty: every run ends as a draft.",
      ),
    },
    {
      path: "verify.setup_cmd",
      label: t("Setup command"),
      kind: "command",
      optional: true,
      hint: t("Runs once before the tests, such as npm ci. It gets the allowed network, but no agent credentials."),
    },
    { path: "verify.timeout_s", label: t("Check timeout"), kind: "count", least: 5, most: 7_200, unit: "s" },
    {
      path: "verify.retries",
      label: t("Retries for failing checks"),
      kind: "count",
      least: 0,
      most: 3,
      unit: t("times"),
      hint: t("A check that passes on a retry counts as flaky; the change is pushed as a draft."),
    },
    {
      path: "verify.baseline",
      label: t("Baseline"),
      kind: "switch",
      caption: t("Run the checks before the agent starts"),
    },
  ],
};

export const SCHEDULE: SettingGroup = {
  name: t("Schedule"),
  fields: [
    {
      path: "schedule.enabled",
      label: t("Run on a schedule"),
      kind: "switch",
      caption: t("Use the cron schedule below"),
    },
    {
      path: "schedule.cron",
      label: t("Cron schedule"),
      kind: "command",
      optional: true,
      hint: t("Five fields, or @hourly, @daily, @weekly, @monthly: “0 6 * * 1-5” is 06:00 on weekdays."),
    },
    { path: "schedule.timezone", label: t("Time zone"), kind: "text", hint: t("Such as Europe/Berlin.") },
    {
      path: "schedule.jitter_s",
      label: t("Jitter"),
      kind: "count",
      least: 0,
      most: 3_600,
      unit: "s",
      hint: t("Maximum delay of a scheduled run. The delay is constant per repository."),
    },
    {
      path: "schedule.missed",
      label: t("Runs missed while the panel was down"),
      kind: "choice",
      of: [
        ["skip", t("Skip")],
        ["run_once", t("Run once")],
      ],
    },
    { path: "schedule.max_open_prs", label: t("Maximum open PRs"), kind: "count", least: 1, most: 20 },
  ],
};

const TEAM: SettingGroup = {
  name: t("Team"),
  about: t("All roles share one budget."),
  fields: [
    {
      path: "team.preset",
      label: t("Preset"),
      kind: "choice",
      of: TEAM_PRESETS,
      hint: t("solo: coder. pair: coder and reviewer. trio: coder, reviewer and planner."),
    },
    {
      path: "team.max_rounds",
      label: t("Rounds"),
      kind: "count",
      least: 1,
      most: 5,
      hint: t("How often the coder may fix failing checks and review comments."),
    },
    {
      path: "team.members",
      label: t("Members"),
      kind: "members",
      hint: t("None: the worker's default agent and model."),
    },
  ],
};

export const SCOUT: SettingGroup = {
  name: t("Scouts"),
  fields: [
    {
      path: "explore.enabled",
      label: t("Explore on a schedule"),
      kind: "switch",
      caption: t("Use the explore schedule below"),
    },
    {
      path: "explore.scout",
      label: t("Scout"),
      kind: "choice",
      of: ["auto", "scan", "agent", "both"],
      hint: t("scan needs no model. auto uses both if a worker has an agent."),
    },
    { path: "explore.max_candidates", label: t("Maximum candidates"), kind: "count", least: 1, most: 50 },
    {
      path: "explore.schedule",
      label: t("Explore cron schedule"),
      kind: "command",
      optional: true,
      hint: t("Same format and time zone as the cron schedule of runs."),
    },
    { path: "explore.areas", label: t("Only in"), kind: "lines", hint: t("Globs, one per line.") },
  ],
};

const DEPENDENCIES: SettingGroup = {
  name: t("Dependency updates"),
  about: t("What scouts propose for outdated packages."),
  fields: [
    {
      path: "deps.min_release_age_days",
      label: t("Minimum release age"),
      kind: "count",
      least: 0,
      most: MIN_RELEASE_AGE_DAYS_MAX,
      unit: t("days"),
      hint: t("Younger releases are not proposed. Security fixes are exempt. 0: any age."),
    },
    {
      path: "deps.group",
      label: t("Group updates"),
      kind: "choice",
      of: UPDATE_GROUPS,
      hint: t(
        "minor: one candidate per manifest for all updates without breaking changes. all: one for all updates. none: one per package.",
      ),
    },
  ],
};

export const PULL_REQUEST: SettingGroup = {
  name: t("Pull request"),
  fields: [
    { path: "pr.auto", label: t("After the push"), kind: "switch", caption: t("Open a pull request") },
    { path: "pr.draft", label: t("As a draft"), kind: "switch", caption: t("Open it as a draft") },
    { path: "pr.labels", label: t("Labels"), kind: "lines", hint: t("One per line.") },
    { path: "pr.reviewers", label: t("Reviewers"), kind: "lines", hint: t("One per line.") },
    { path: "pr.title_prefix", label: t("Title prefix"), kind: "text", optional: true },
  ],
};

export const FOLLOW_UP: SettingGroup = {
  name: t("Follow-up runs"),
  about: t("New runs repair an open pull request on its own branch. They count as runs of the plan, and cost as such."),
  fields: [
    {
      path: "follow_up.enabled",
      label: t("Open pull requests"),
      kind: "switch",
      caption: t("Watch and repair them"),
      hint: t("Reads checks, conflicts and reviews at least every 5 minutes."),
    },
    {
      path: "follow_up.on",
      label: t("Causes"),
      kind: "set",
      of: FOLLOW_UP_CAUSES.map((cause) => [cause, CAUSE_LABELS[cause]] as const),
      hint: t("Comments count only from people with write access."),
    },
    {
      path: "follow_up.max_attempts",
      label: t("Maximum attempts"),
      kind: "count",
      least: 1,
      most: 10,
      hint: t("Then a person needs to take over. The count restarts when the checks pass."),
    },
    {
      path: "follow_up.ignore_label",
      label: t("Ignore label"),
      kind: "text",
      hint: t("A pull request with this label is left alone until the label is removed."),
    },
  ],
};

const ISOLATION: SettingGroup = {
  name: t("Isolation"),
  about: t("A run waits for a worker with this isolation; it is never lowered silently."),
  fields: [
    {
      path: "isolation.level_required",
      label: t("Minimum isolation"),
      kind: "choice",
      of: ISOLATION_LEVELS,
      hint: t("worktree: a separate folder. sandbox: fully isolated. container: inside an image."),
    },
    {
      path: "isolation.network",
      label: t("Network"),
      kind: "choice",
      of: NETWORKS.map((network) => [network, NETWORK_LABELS[network]] as const),
      hint: t("Enforced at sandbox level or above."),
    },
    { path: "isolation.allow_hosts", label: t("Hosts of the allow list"), kind: "lines", hint: t("One per line.") },
    {
      path: "protected_paths",
      label: t("Protected paths"),
      kind: "lines",
      hint: t("Globs, one per line. Agents may not change these files."),
    },
  ],
};

export const GROUPS: readonly SettingGroup[] = [
  WORK,
  SCHEDULE,
  TEAM,
  SCOUT,
  DEPENDENCIES,
  LIMITS,
  PULL_REQUEST,
  FOLLOW_UP,
  ISOLATION,
];
