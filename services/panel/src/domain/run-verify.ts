/**
 * Check results of a run, separately for verify command and gate. Only the verify command decides whether a change fixed the checks: a
 * candidate's gate fails before every run.
 */
import type { CommandResult, ReportedChecks, ReportedVerify, RunVerify } from "@triptych/contracts";
import type { RunSpec } from "./records.ts";

type Commands = Pick<RunSpec, "gate" | "verifyCmd"> & {
  readonly settings: Pick<RunSpec["settings"], "verify">;
};

export const NOT_VERIFIED: RunVerify = { baseline: null, attempts: [], gate: null, verdict: null };

/** From a worker's report. Workers of version 0.1 report the commands combined. */
export function verifyOfReport(commands: Commands, reported: ReportedVerify, checks?: ReportedChecks): RunVerify {
  const { baseline, attempts } = checks ?? separate(commands, reported);
  const results = reported.attempts.map(({ n, exit_code, duration_ms }, index) => {
    const each = attempts[index];
    return { n, exit_code, duration_ms, verify: toResult(each?.verify), gate: toResult(each?.gate) };
  });
  const verify = toResult(baseline?.verify);
  return {
    baseline: verify === null ? null : { ...verify, cached: baseline?.cached ?? false },
    attempts: results,
    gate:
      commands.gate === null
        ? null
        : toGate({ cmd: commands.gate.cmd, baseline: toResult(baseline?.gate), result: results.at(-1)?.gate ?? null }),
    verdict: reported.verdict,
  };
}

/** From a row. Rows of version 0.1 contain the raw report. */
export function readStoredVerify(commands: Commands, stored: RunVerify | ReportedVerify): RunVerify {
  if (!isSeparate(commands, stored)) return verifyOfReport(commands, stored);
  return stored.gate === null ? stored : { ...stored, gate: toGate(stored.gate) };
}

type SeparateGate = Pick<NonNullable<RunVerify["gate"]>, "cmd" | "baseline" | "result">;

/** Repeats the result in the members that clients of version 0.1 read. Rows of early 0.2 lack them. */
function toGate({ cmd, baseline, result }: SeparateGate): RunVerify["gate"] {
  return { cmd, baseline, result, exit_code: result?.exit_code ?? null, duration_ms: result?.duration_ms ?? 0 };
}

/** Whether the commands are separate, unlike in a raw report. */
function isSeparate({ gate: ordered }: Commands, stored: RunVerify | ReportedVerify): stored is RunVerify {
  const { baseline, attempts, gate } = stored;
  if (attempts.some((attempt) => !("verify" in attempt))) return false;
  return gate === null ? ordered === null || baseline === null : "cmd" in gate;
}

/** Splits a combined report if it is unambiguous which command it is about. */
function separate(commands: Commands, { baseline, attempts, gate }: ReportedVerify): ReportedChecks {
  const atBase = {
    verify: commands.gate === null || (commands.verifyCmd !== null && commands.settings.verify.baseline),
    gate: commands.gate !== null && commands.gate.baseline !== "none",
  };
  const after = { verify: commands.gate === null || commands.verifyCmd !== null, gate: commands.gate !== null };
  const last = attempts.length - 1;
  return {
    baseline:
      baseline === null ? null : { ...parts(atBase, baseline, last < 0 ? gate : null), cached: baseline.cached },
    attempts: attempts.map((attempt, index) => parts(after, attempt, index === last ? gate : null)),
  };
}

type RanCommands = Readonly<Record<"verify" | "gate", boolean>>;

function parts(ran: RanCommands, combined: NonNullable<CommandResult>, gate: CommandResult) {
  const isCertain = combined.exit_code === 0 || !(ran.verify && ran.gate);
  const result = isCertain ? combined : null;
  return { verify: ran.verify ? result : null, gate: gate ?? (ran.gate ? result : null) };
}

/** Only the members of the response: frames may have others. */
function toResult(end: CommandResult | undefined): CommandResult {
  return end === null || end === undefined ? null : { exit_code: end.exit_code, duration_ms: end.duration_ms };
}

/** Whether the repository's own checks failed before the change and pass after it. */
export function isFixed({ baseline, verdict }: RunVerify): boolean {
  return verdict === "passed" && baseline !== null && baseline.exit_code !== 0;
}
