/** The settings of a repo as fields: path, label and hint. */
import { ISOLATION_LEVELS, NETWORKS, TEAM_PRESETS } from "@triptych/contracts/plain";

export type FieldKind =
  | { readonly kind: "text" | "command" | "long" | "lines" | "members"; readonly optional?: true }
  | {
      readonly kind: "count";
      readonly least: number;
      readonly most?: number;
      readonly unit?: string;
      readonly optional?: true;
    }
  /** Micro-euros, typed in euros. */
  | { readonly kind: "euros"; readonly optional?: true }
  | { readonly kind: "switch"; readonly caption: string }
  | { readonly kind: "choice"; readonly of: readonly (string | readonly [string, string])[] };

export type SettingField = FieldKind & {
  /** Member names, joined by dots: `limits.max_tokens`. */
  readonly path: string;
  readonly label: string;
  readonly hint?: string;
};

export interface SettingGroup {
  readonly name: string;
  readonly about?: string;
  readonly fields: readonly SettingField[];
}

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
      hint: "Run once before, such as npm ci. It has the network that the isolation allows, and no key of an agent.",
    },
    { path: "verify.timeout_s", label: "Check timeout", kind: "count", least: 5, most: 7_200, unit: "s" },
    {
      path: "verify.retries",
      label: "Retries for failing checks",
      kind: "count",
      least: 0,
      most: 3,
      unit: "times",
      hint: "A check that then passes counts as flaky and is pushed as a draft.",
    },
    {
      path: "verify.baseline",
      label: "Baseline",
      kind: "switch",
      caption: "run the checks before the agent starts",
    },
  ],
};

const SCHEDULE: SettingGroup = {
  name: "Schedule",
  fields: [
    { path: "schedule.enabled", label: "Run on a schedule", kind: "switch", caption: "at the times below" },
    {
      path: "schedule.cron",
      label: "Cron schedule",
      kind: "command",
      optional: true,
      hint: "Five fields, or @hourly, @daily, @weekly, @monthly: “0 6 * * 1-5” is six o'clock on workdays.",
    },
    { path: "schedule.timezone", label: "Time zone", kind: "text", hint: "Such as Europe/Berlin." },
    {
      path: "schedule.jitter_s",
      label: "Jitter",
      kind: "count",
      least: 0,
      most: 3_600,
      unit: "s",
      hint: "Delay of up to this long, always the same for this repository.",
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
  about: "One budget is shared by all roles.",
  fields: [
    {
      path: "team.preset",
      label: "Preset",
      kind: "choice",
      of: TEAM_PRESETS,
      hint: "solo: a coder. pair: and a reviewer. trio: and a planner.",
    },
    {
      path: "team.max_rounds",
      label: "Rounds",
      kind: "count",
      least: 1,
      most: 5,
      hint: "How often the coder may fix what checks and reviewer reported.",
    },
    {
      path: "team.members",
      label: "Members",
      kind: "members",
      hint: "None: the default agent and model of the worker.",
    },
  ],
};

const SCOUT: SettingGroup = {
  name: "Scouts",
  fields: [
    { path: "explore.enabled", label: "Explore on a schedule", kind: "switch", caption: "on its schedule" },
    {
      path: "explore.scout",
      label: "Scout",
      kind: "choice",
      of: ["auto", "scan", "agent", "both"],
      hint: "scan needs no model. auto: both where a worker has an agent.",
    },
    { path: "explore.max_candidates", label: "Maximum candidates", kind: "count", least: 1, most: 50 },
    {
      path: "explore.schedule",
      label: "Explore cron schedule",
      kind: "command",
      optional: true,
      hint: "Same form and time zone as the cron schedule of runs.",
    },
    { path: "explore.areas", label: "Only in", kind: "lines", hint: "Globs, one per line." },
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
      hint: "From the assignment to the end of the run.",
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
    cap("memory_mb", "Memory", "Of all its processes.", "MiB"),
    cap("processes", "Processes", "At once."),
  ],
};

export const PULL_REQUEST: SettingGroup = {
  name: "Pull request",
  fields: [
    { path: "pr.auto", label: "After the push", kind: "switch", caption: "open a pull request" },
    { path: "pr.draft", label: "As a draft", kind: "switch", caption: "open it as a draft" },
    { path: "pr.labels", label: "Labels", kind: "lines", hint: "One per line." },
    { path: "pr.reviewers", label: "Reviewers", kind: "lines", hint: "One per line." },
    { path: "pr.title_prefix", label: "Title prefix", kind: "text", optional: true },
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

/** In display order. */
export const GROUPS: readonly SettingGroup[] = [WORK, SCHEDULE, TEAM, SCOUT, LIMITS, PULL_REQUEST, ISOLATION];
