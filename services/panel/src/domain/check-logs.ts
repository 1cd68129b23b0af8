/** Logs of the checks of a run: artifacts that its worker uploaded, by name. */
import type { ReportedChecks } from "@triptych/contracts";

/** Absent in runs of workers older than 0.3. */
export interface CheckLogs {
  readonly baseline: CommandLogs;
  readonly attempts: readonly CommandLogs[];
}

export interface CommandLogs {
  readonly verify: string | null;
  readonly gate: string | null;
}

/** Names of the logs in a worker's report; undefined if it reports none. */
export function logsOfReport(checks: ReportedChecks | undefined): CheckLogs | undefined {
  if (checks === undefined) return undefined;
  const logs = (each: ReportedChecks["attempts"][number] | null): CommandLogs => {
    return { verify: each?.verify?.log ?? null, gate: each?.gate?.log ?? null };
  };
  return { baseline: logs(checks.baseline), attempts: checks.attempts.map(logs) };
}

export function logNames(logs: CheckLogs | undefined): ReadonlySet<string> {
  const each = logs === undefined ? [] : [logs.baseline, ...logs.attempts];
  return new Set(each.flatMap(({ verify, gate }) => [verify, gate]).filter((name) => name !== null));
}
