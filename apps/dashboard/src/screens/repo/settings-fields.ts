/** The settings of a repo as fields: where each stands in what is sent, what it is called, what it means. */
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
  | { readonly kind: "switch"; readonly words: string }
  | { readonly kind: "choice"; readonly of: readonly (string | readonly [string, string])[] };

export type SettingField = FieldKind & {
  /** Of members, joined by dots: `limits.max_tokens`. */
  readonly path: string;
  readonly label: string;
  readonly hint?: string;
};

export interface SettingGroup {
  readonly name: string;
  readonly about?: string;
  readonly fields: readonly SettingField[];
}

const NO_CAP = "Empty: no cap.";
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
    { path: "focus", label: "Focus", kind: "long", hint: "What an agent is told to do, unless a run says otherwise." },
    {
      path: "verify_cmd",
      label: "Command that proves it",
      kind: "command",
      optional: true,
      hint: "Run before and after the change; green after it, or nothing is pushed. Empty: every run ends as a draft.",
    },
    {
      path: "verify.setup_cmd",
      label: "Command that prepares",
      kind: "command",
      optional: true,
      hint: "Run once before, such as npm ci. It has the network that the isolation allows, and no key of an agent.",
    },
    { path: "verify.timeout_s", label: "Longest check", kind: "count", least: 5, most: 7_200, unit: "s" },
    {
      path: "verify.retries",
      label: "Red checks are run again",
      kind: "count",
      least: 0,
      most: 3,
      unit: "times",
      hint: "Green then counts as flaky, and is pushed as a draft.",
    },
    {
      path: "verify.baseline",
      label: "Before the change",
      kind: "switch",
      words: "run the checks before the agent begins",
    },
  ],
};

const SCHEDULE: SettingGroup = {
  name: "Schedule",
  fields: [
    { path: "schedule.enabled", label: "Runs by itself", kind: "switch", words: "at the times below" },
    {
      path: "schedule.cron",
      label: "Times",
      kind: "command",
      optional: true,
      hint: "Five fields, or @hourly, @daily, @weekly, @monthly: “0 6 * * 1-5” is six o'clock on workdays.",
    },
    { path: "schedule.timezone", label: "Zone", kind: "text", hint: "Such as Europe/Berlin." },
    {
      path: "schedule.jitter_s",
      label: "Spread",
      kind: "count",
      least: 0,
      most: 3_600,
      unit: "s",
      hint: "Up to so much later, always the same for this repo.",
    },
    {
      path: "schedule.missed",
      label: "Missed while the panel was down",
      kind: "choice",
      of: [
        ["skip", "is left out"],
        ["run_once", "is run once"],
      ],
    },
    { path: "schedule.max_open_prs", label: "Not with more open PRs than", kind: "count", least: 1, most: 20 },
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
      hint: "How often the coder may mend what checks and reviewer said.",
    },
    {
      path: "team.members",
      label: "Members",
      kind: "members",
      hint: "None: the default pair of the worker that takes the run.",
    },
  ],
};

const SCOUT: SettingGroup = {
  name: "Scouts",
  fields: [
    { path: "explore.enabled", label: "Explores by itself", kind: "switch", words: "on its schedule" },
    {
      path: "explore.scout",
      label: "Scout",
      kind: "choice",
      of: ["auto", "scan", "agent", "both"],
      hint: "scan needs no model. auto: both where a worker has an agent.",
    },
    { path: "explore.max_candidates", label: "Candidates at most", kind: "count", least: 1, most: 50 },
    {
      path: "explore.schedule",
      label: "Explores at",
      kind: "command",
      optional: true,
      hint: "As the times of runs, in the same zone.",
    },
    { path: "explore.areas", label: "Only in", kind: "lines", hint: "Globs, one a line." },
  ],
};

export const LIMITS: SettingGroup = {
  name: "Caps",
  about: "A run that reaches one ends as failed; its work so far is kept.",
  fields: [
    {
      path: "limits.timeout_s",
      label: "Time",
      kind: "count",
      least: 60,
      most: 86_400,
      unit: "s",
      hint: "From the hand-out to the end.",
    },
    {
      path: "limits.idle_timeout_s",
      label: "Silence",
      kind: "count",
      least: 30,
      most: 7_200,
      unit: "s",
      hint: "Without a word of the agent.",
    },
    {
      path: "limits.max_cost_micro",
      label: "Cost",
      kind: "euros",
      optional: true,
      hint: `Looked at before each call of a model: one call more at most. ${NO_CAP}`,
    },
    cap("max_tokens", "Tokens", "Read and written, all roles together."),
    cap("max_turns", "Turns", "Answers of models."),
    cap("max_changed_files", "Changed files", "A larger change is not handed over."),
    cap("max_diff_lines", "Changed lines", "A larger change is not handed over."),
    cap("disk_mb", "Disk", "Of the worker, for this run.", "MiB"),
    cap("memory_mb", "Memory", "Of all its processes.", "MiB"),
    cap("processes", "Processes", "At once."),
  ],
};

export const PULL_REQUEST: SettingGroup = {
  name: "Pull request",
  fields: [
    { path: "pr.auto", label: "After the push", kind: "switch", words: "open a pull request" },
    { path: "pr.draft", label: "As a draft", kind: "switch", words: "open it as a draft" },
    { path: "pr.labels", label: "Labels", kind: "lines", hint: "One a line." },
    { path: "pr.reviewers", label: "Reviewers", kind: "lines", hint: "One a line." },
    { path: "pr.title_prefix", label: "Title begins with", kind: "text", optional: true },
  ],
};

const ISOLATION: SettingGroup = {
  name: "Isolation",
  about: "A run waits for a worker that can give it; it is never lowered silently.",
  fields: [
    {
      path: "isolation.level_required",
      label: "At least",
      kind: "choice",
      of: ISOLATION_LEVELS,
      hint: "worktree: a folder of its own. sandbox: no way out of it. container: inside an image.",
    },
    {
      path: "isolation.network",
      label: "Network",
      kind: "choice",
      of: NETWORKS.map((one) => [one, one.replaceAll("_", " ")] as const),
      hint: "Held from sandbox up.",
    },
    { path: "isolation.allow_hosts", label: "Hosts of the allow list", kind: "lines", hint: "One a line." },
    {
      path: "protected_paths",
      label: "Protected paths",
      kind: "lines",
      hint: "Globs, one a line: agents may not change them.",
    },
  ],
};

/** In the order in which they are shown. */
export const GROUPS: readonly SettingGroup[] = [WORK, SCHEDULE, TEAM, SCOUT, LIMITS, PULL_REQUEST, ISOLATION];
