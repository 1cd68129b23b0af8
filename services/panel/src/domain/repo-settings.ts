/** Settings of a repo: defaults and merge patches. Shorthands are expanded to the canonical object. */
import type { RepoSettings, SettingsPatch, TeamPatch } from "@triptych/contracts";

export const DEFAULT_SETTINGS: RepoSettings = {
  focus: "Keep the repository healthy.",
  verify_cmd: null,
  verify: { setup_cmd: null, timeout_s: 900, retries: 1, baseline: true },
  team: { preset: "solo", max_rounds: 2, members: [] },
  schedule: { enabled: false, cron: null, timezone: "UTC", jitter_s: 300, missed: "skip", max_open_prs: 3 },
  explore: { enabled: false, scout: "auto", max_candidates: 10, areas: ["**"], checks: null, schedule: null },
  limits: {
    timeout_s: 3_600,
    idle_timeout_s: 600,
    max_cost_micro: 2_000_000,
    max_tokens: 2_000_000,
    max_turns: 80,
    max_changed_files: 40,
    max_diff_lines: 1_500,
    disk_mb: 4_096,
    memory_mb: 8_192,
    processes: 512,
  },
  pr: { auto: true, draft: true, labels: ["maintenance"], reviewers: [], title_prefix: "" },
  follow_up: { enabled: false, max_attempts: 3, on: ["checks", "conflict", "review"], ignore_label: "no-agent" },
  deps: { min_release_age_days: 7, group: "minor" },
  isolation: { network: "model_only", allow_hosts: [], level_required: "sandbox" },
  protected_paths: [".github/**", ".gitlab-ci.yml", ".forgejo/**", ".gitea/**"],
};

/** An omitted member stays; null restores the default. */
export function patchSettings(now: RepoSettings, patch: SettingsPatch): RepoSettings {
  const { explore, follow_up: followUp } = patch;
  return {
    focus: choose(now.focus, patch.focus, DEFAULT_SETTINGS.focus),
    verify_cmd: patch.verify_cmd === undefined ? now.verify_cmd : patch.verify_cmd,
    verify: merge(now.verify, patch.verify, DEFAULT_SETTINGS.verify),
    team: patch.team === undefined ? now.team : patchTeam(now.team, patch.team),
    schedule: patchSchedule(now.schedule, patch.schedule),
    explore: merge(
      now.explore,
      typeof explore === "boolean" ? { enabled: explore } : explore,
      DEFAULT_SETTINGS.explore,
    ),
    limits: merge(now.limits, patch.limits, LIFTED),
    pr: merge(now.pr, patch.pr, DEFAULT_SETTINGS.pr),
    follow_up: merge(
      now.follow_up,
      typeof followUp === "boolean" ? { enabled: followUp } : followUp,
      DEFAULT_SETTINGS.follow_up,
    ),
    deps: merge(now.deps, patch.deps, DEFAULT_SETTINGS.deps),
    isolation: merge(now.isolation, patch.isolation, DEFAULT_SETTINGS.isolation),
    protected_paths: choose(now.protected_paths, patch.protected_paths, DEFAULT_SETTINGS.protected_paths),
    ...(patch.limits === null && { limits: DEFAULT_SETTINGS.limits }),
  };
}

/** A pattern alone enables the schedule; without one it cannot be enabled. */
function patchSchedule(now: RepoSettings["schedule"], patch: SettingsPatch["schedule"]): RepoSettings["schedule"] {
  if (typeof patch === "string") return { ...now, enabled: true, cron: patch };
  const merged = merge(now, patch, DEFAULT_SETTINGS.schedule);
  if (patch?.cron === undefined || patch.enabled != null) return merged;
  return { ...merged, enabled: merged.cron !== null && (merged.enabled || now.cron === null) };
}

/** A preset by its name replaces the whole team. */
export function patchTeam(now: RepoSettings["team"], patch: TeamPatch | null): RepoSettings["team"] {
  const whole = DEFAULT_SETTINGS.team;
  return typeof patch === "string" ? { ...whole, preset: patch } : merge(now, patch, whole);
}

/** Inside `limits`, null removes a cap; the two timeouts cannot be removed and return to their default. */
const LIFTED: RepoSettings["limits"] = {
  ...DEFAULT_SETTINGS.limits,
  max_cost_micro: null,
  max_tokens: null,
  max_turns: null,
  max_changed_files: null,
  max_diff_lines: null,
  disk_mb: null,
  memory_mb: null,
  processes: null,
};

type Part<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

function choose<T>(now: T, patched: T | null | undefined, byDefault: T): T {
  return patched === undefined ? now : (patched ?? byDefault);
}

function merge<T extends object>(now: T, patch: Part<T> | null | undefined, byDefault: T): T {
  if (patch === undefined) return now;
  if (patch === null) return byDefault;
  const merged = { ...now };
  for (const name of namesOf(byDefault)) merged[name] = choose<T[keyof T]>(now[name], patch[name], byDefault[name]);
  return merged;
}

/** The schema has checked that a settings object has exactly the members of its default. */
function namesOf<T extends object>(settings: T): readonly (keyof T)[] {
  return Object.keys(settings) as (keyof T)[];
}
