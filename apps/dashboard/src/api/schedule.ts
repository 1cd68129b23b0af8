/** When a repo runs by itself. A panel without a scheduler answers neither setting nor times: then there are none. */
import type { Repo } from "@triptych/contracts";

export interface Schedule {
  readonly enabled: boolean;
  readonly cron: string | null;
  readonly timezone: string;
  readonly jitter_s: number;
  readonly missed: "skip" | "run_once";
  readonly max_open_prs: number;
}

type Ahead = Repo & { readonly next_runs?: readonly string[]; readonly schedule?: Schedule | null };

/** The next five times, the nearest first. */
export function nextRunsOf(repo: Repo): readonly string[] {
  return (repo as Ahead).next_runs ?? [];
}

export function nextRunOf(repo: Repo): string | null {
  return nextRunsOf(repo)[0] ?? null;
}

/** Undefined where the panel has no scheduler. */
export function scheduleOf(repo: Repo): Schedule | null | undefined {
  return (repo as Ahead).schedule;
}
