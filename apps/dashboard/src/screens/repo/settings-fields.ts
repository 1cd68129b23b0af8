import {
  FOLLOW_UP_CAUSES,
  ISOLATION_LEVELS,
  MIN_RELEASE_AGE_DAYS_MAX,
  NETWORKS,
  TEAM_PRESETS,
  UPDATE_GROUPS,
} from "@triptych/contracts/plain";
import { CAUSE_LABELS } from "../../labels/pull-requests.ts";
import type { SettingField, SettingGroup } from "./setting-field.ts";

const NO_CAP = "Empty: no limit.";
const cap = (name: string, label: string, hint: string, unit?: string): SettingField => ({
  path: `limits.${name}`,
  label,
  hint: `${hint} ${NO_CAP}`,
  kind: "count",
  least: 1,
  optional: true,
  ...(unit !== undefined && { unit }),
});

export const WORK: SettingGroup = {
  name: "Work",
  fields: [
    { path: "name", label: "Name", kind: "text" },
    { path: "focus", label: "Focus", kind: "long", hint: "Default instructions for the agent." },
    {
      path: "verify_cmd",
      label: "Test command",
      kind: "command",
      optional: true,
      hint: "Runs before and after the change. If it fails after the change, nothing is pushed. Empty: every run ends as a draft.",
    },
    {
      path: "verify.setup_cmd",
      label: "Setup command",
      kind: "command",
      optional: true,
      hint: "Runs once before the tests, such as npm ci. It gets the allowed network, but no agent credentials.",
    },
    { path: "verify.timeout_s", label: "Check timeout", kind: "count", least: 5, most: 7_200, unit: "s" },
    {
      path: "verify.retries",
      label: "Retries for failing checks",
      kind: "count",
      least: 0,
      most: 3,
      unit: "times",
      hint: "A check that passes on a retry counts as flaky; the change is pushed as a draft.",
    },
    {
      path: "verify.baseline",
      label: "Baseline",
      kind: "switch",
      caption: "Run the checks before the agent starts",
    },
  ],
};

const SCHEDULE: SettingGroup = {
  name: "Schedule",
  fields: [
    { path: "schedule.enabled", label: "Run on a schedule", kind: "switch", caption: "Use the cron schedule below" },
    {
      path: "schedule.cron",
      label: "Cron schedule",
      kind: "command",
      optional: true,
      hint: "Five fields, or @hourly, @daily, @weekly, @monthly: “0 6 * * 1-5” is 06:00 on weekdays.",
    },
    { path: "schedule.timezone", label: "Time zone", kind: "text", hint: "Such as Europe/Berlin." },
    {
      path: "schedule.jitter_s",
      label: "Jitter",
      kind: "count",
      least: 0,
      most: 3_600,
      unit: "s",
      hint: "Maximum delay of a scheduled run. The delay is constant per repository.",
    },
    {
      path: "schedule.missed",
      label: "Runs missed while the panel was down",
      kind: "choice",
      of: [
        ["skip", "Skip"],
        ["run_once", "Run once"],
      ],
    },
    { path: "schedule.max_open_prs", label: "Maximum open PRs", kind: "count", least: 1, most: 20 },
  ],
};

const TEAM: SettingGroup = {
  name: "Team",
  about: "All roles share one budget.",
  fields: [
    {
      path: "team.preset",
      label: "Preset",
      kind: "choice",
      of: TEAM_PRESETS,
      hint: "solo: coder. pair: coder and reviewer. trio: coder, reviewer and planner.",
    },
    {
      path: "team.max_rounds",
      label: "Rounds",
      kind: "count",
      least: 1,
      most: 5,
      hint: "How often the coder may fix failing checks and review comments.",
    },
    {
      path: "team.members",
      label: "Members",
      kind: "members",
      hint: "None: the worker's default agent and model.",
    },
  ],
};

const SCOUT: SettingGroup = {
  name: "Scouts",
  fields: [
    {
      path: "explore.enabled",
      label: "Explore on a schedule",
      kind: "switch",
      caption: "Use the explore schedule below",
    },
    {
      path: "explore.scout",
      label: "Scout",
      kind: "choice",
      of: ["auto", "scan", "agent", "both"],
      hint: "scan needs no model. auto uses both if a worker has an agent.",
    },
    { path: "explore.max_candidates", label: "Maximum candidates", kind: "count", least: 1, most: 50 },
    {
      path: "explore.schedule",
      label: "Explore cron schedule",
      kind: "command",
      optional: true,
      hint: "Same format and time zone as the cron schedule of runs.",
    },
    { path: "explore.areas", label: "Only in", kind: "lines", hint: "Globs, one per line." },
  ],
};

const DEPENDENCIES: SettingGroup = {
  name: "Dependency updates",
  about: "What scouts propose for outdated packages.",
  fields: [
    {
      path: "deps.min_release_age_days",
      label: "Minimum release age",
      kind: "count",
      least: 0,
      most: MIN_RELEASE_AGE_DAYS_MAX,
      unit: "days",
      hint: "Younger releases are not proposed. Security fixes are exempt. 0: any age.",
    },
    {
      path: "deps.group",
      label: "Group updates",
      kind: "choice",
      of: UPDATE_GROUPS,
      hint: "minor: one candidate per manifest for all updates without breaking changes. all: one for all updates. none: one per package.",
    },
  ],
};

export const LIMITS: SettingGroup = {
  name: "Limits",
  about: "A run that reaches a limit fails; its work so far is kept.",
  fields: [
    {
      path: "limits.timeout_s",
      label: "Total time limit",
      kind: "count",
      least: 60,
      most: 86_400,
      unit: "s",
      hint: "From assignment to the end of the run.",
    },
    {
      path: "limits.idle_timeout_s",
      label: "Idle timeout",
      kind: "count",
      least: 30,
      most: 7_200,
      unit: "s",
      hint: "No agent output for this long.",
    },
    {
      path: "limits.max_cost_micro",
      label: "Cost",
      kind: "euros",
      optional: true,
      hint: `Checked before each model call, so it can be exceeded by one call. ${NO_CAP}`,
    },
    cap("max_tokens", "Tokens", "Input and output, all roles together."),
    cap("max_turns", "Turns", "Model responses."),
    cap("max_changed_files", "Changed files", "A larger change fails the run."),
    cap("max_diff_lines", "Changed lines", "A larger change fails the run."),
    cap("disk_mb", "Disk", "On the worker, for this run.", "MiB"),
    cap("memory_mb", "Memory", "Total of all its processes.", "MiB"),
    cap("processes", "Processes", "At the same time."),
  ],
};

export const PULL_REQUEST: SettingGroup = {
  name: "Pull request",
  fields: [
    { path: "pr.auto", label: "After the push", kind: "switch", caption: "Open a pull request" },
    { path: "pr.draft", label: "As a draft", kind: "switch", caption: "Open it as a draft" },
    { path: "pr.labels", label: "Labels", kind: "lines", hint: "One per line." },
    { path: "pr.reviewers", label: "Reviewers", kind: "lines", hint: "One per line." },
    { path: "pr.title_prefix", label: "Title prefix", kind: "text", optional: true },
  ],
};

export const FOLLOW_UP: SettingGroup = {
  name: "Follow-up runs",
  about: "New runs repair an open pull request on its own branch. They count as runs of the plan, and cost as such.",
  fields: [
    {
      path: "follow_up.enabled",
      label: "Open pull requests",
      kind: "switch",
      caption: "Watch and repair them",
      hint: "Reads checks, conflicts and reviews at least every 5 minutes.",
    },
    {
      path: "follow_up.on",
      label: "Causes",
      kind: "set",
      of: FOLLOW_UP_CAUSES.map((cause) => [cause, CAUSE_LABELS[cause]] as const),
      hint: "Comments count only from people with write access.",
    },
    {
      path: "follow_up.max_attempts",
      label: "Maximum attempts",
      kind: "count",
      least: 1,
      most: 10,
      hint: "Then a person needs to take over. The count restarts when the checks pass.",
    },
    {
      path: "follow_up.ignore_label",
      label: "Ignore label",
      kind: "text",
      hint: "A pull request with this label is left alone until the label is removed.",
    },
  ],
};

const ISOLATION: SettingGroup = {
  name: "Isolation",
  about: "A run waits for a worker with this isolation; it is never lowered silently.",
  fields: [
    {
      path: "isolation.level_required",
      label: "Minimum isolation",
      kind: "choice",
      of: ISOLATION_LEVELS,
      hint: "worktree: a separate folder. sandbox: fully isolated. container: inside an image.",
    },
    {
      path: "isolation.network",
      label: "Network",
      kind: "choice",
      of: NETWORKS.map((network) => [network, network.replaceAll("_", " ")] as const),
      hint: "Enforced at sandbox level or above.",
    },
    { path: "isolation.allow_hosts", label: "Hosts of the allow list", kind: "lines", hint: "One per line." },
    {
      path: "protected_paths",
      label: "Protected paths",
      kind: "lines",
      hint: "Globs, one per line. Agents may not change these files.",
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
