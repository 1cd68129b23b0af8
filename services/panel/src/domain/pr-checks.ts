/** The checks of a run in its pull request: commands, exit codes and the ends of their logs. */
import type { CommandResult } from "@triptych/contracts";
import { fenced, fencedTail } from "./markdown.ts";
import type { RunFacts, RunSpec } from "./records.ts";

export interface LogTails {
  readonly verify: CommandTails;
  readonly gate: CommandTails;
}

interface CommandTails {
  readonly before: string | null;
  readonly after: string | null;
}

export const NO_LOGS: LogTails = { verify: { before: null, after: null }, gate: { before: null, after: null } };

interface CheckedSubject {
  readonly facts: Pick<RunFacts, "verify">;
  readonly spec: Pick<RunSpec, "verifyCmd">;
}

const COMMAND_BYTES_MAX = 3 * 1024;
const LOG_BYTES_MAX = 5 * 1024;
const LOG_LINES = 40;
const TITLES = { verify: "Test command", gate: "Gate" } as const;

/** Both commands with their exit codes before and after the change, and the ends of their logs. */
export function checkSections({ facts: { verify }, spec: { verifyCmd } }: CheckedSubject, logs: LogTails): string {
  const { baseline, attempts, gate, verdict } = verify;
  // Earlier attempts belong to earlier rounds of the agent; a flaky verdict comes from two.
  const judged = attempts.slice(verdict === "flaky" ? -2 : -1);
  const before = (result: CommandResult) =>
    result === null ? "not run before the change" : `${codeOf(result)} before`;
  const after = (name: "verify" | "gate") => {
    const results = judged.map((attempt) => attempt[name]);
    const codes = results.map((result) => (result === null ? "unknown" : codeOf(result))).join(", then ");
    const last = results.at(-1);
    return codes === "" ? "not run after it" : `${codes} after (${formatDuration(last?.duration_ms ?? 0)})`;
  };
  const section = (name: "verify" | "gate", states: string, cmd: string) =>
    [
      `${TITLES[name]}: ${states}`,
      fenced(cmd, COMMAND_BYTES_MAX, "sh"),
      logBlock(name, "before", logs[name].before),
      logBlock(name, "after", logs[name].after),
    ]
      .filter(Boolean)
      .join("\n\n");
  return [
    verifyCmd === null ? "" : section("verify", `${before(baseline)}, ${after("verify")}`, verifyCmd),
    gate === null ? "" : section("gate", `${before(gate.baseline)}, ${after("gate")}`, gate.cmd),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** Blank lines around the fence: without them a forge reads it as HTML. */
function logBlock(name: "verify" | "gate", when: "before" | "after", log: string | null): string {
  if (log === null) return "";
  const summary = `${TITLES[name]}: last ${LOG_LINES} lines ${when} the change`;
  const tail = fencedTail(log, { lines: LOG_LINES, bytesMax: LOG_BYTES_MAX });
  return `<details><summary>${summary}</summary>\n\n${tail}\n\n</details>`;
}

function codeOf({ exit_code }: NonNullable<CommandResult>): string {
  return exit_code === null ? "stopped by a signal or a limit" : `exit code ${exit_code}`;
}

/** `0.8 s`, `42 s`, `3 min 20 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
