/** Runs the verify command and the gate, before the agent and after it. */
import {
  judgeBaseline,
  verdictOf,
  isDeliverable,
  type BaselineVerdict,
  type Check,
  type Checks,
  type Verdict,
} from "../run/verdict.ts";
import { foldersOf, missingMessage, missingTool } from "../process/missing-tool.ts";
import { RunError } from "../run/run-error.ts";
import { shortened } from "../run/reporter.ts";
import type { CheckOptions, CheckedRun } from "../run/run-summary.ts";
import type { CommandEnd } from "../run/run-request.ts";
import { AT_BASE, GATE_AT } from "../scouts/gate-command/gate-protocol.ts";
import { openAsDelivered } from "./clean-checkout.ts";
import { runSetup } from "./setup.ts";
import { endingOf, exitCodeOf, isGreen, runShellCommand, type CommandRun } from "./shell-command.ts";
import type { RunContext } from "./run-context.ts";

export interface Baseline {
  readonly run: CheckedRun | null;
  readonly checks: Checks;
}

/** The round before any change. */
const BASELINE = 0;
const NO_CHECKS: Checks = { verify: "none", gate: "none" };

/** Runs the baseline and decides whether there is work to do. Throws `RunError` `checks_unavailable` if a check cannot run. */
export async function checkBaseline(
  context: RunContext,
): Promise<{ readonly baseline: Baseline; readonly judged: BaselineVerdict }> {
  const { verify, gate } = context.request;
  // A gate that requires a failing base runs even without a baseline of the verify command.
  const options = { verify: verify.baseline, gate: gate !== null && gate.baseline !== "none" };
  const hasChecks = (options.verify && verify.command !== null) || options.gate;
  const run = hasChecks ? await remembered(context, options) : null;
  if (run !== null && run.unavailable !== null) throw new RunError("checks_unavailable", run.unavailable);
  const checks = run?.checks ?? NO_CHECKS;
  return { baseline: { run, checks }, judged: judgeBaseline(checks, gate?.baseline ?? "none") };
}

/** Results are cached for the same commands at the same commit in the same environment. */
async function remembered(context: RunContext, options: CheckOptions): Promise<CheckedRun> {
  const cached = await context.baselines.find(context.request, options);
  if (cached !== undefined) {
    context.reporter.say({ from: { role: "worker" }, kind: "verify", text: `${cached.output}[known]\n`, round: 0 });
    return { ...cached, isCached: true };
  }
  const run = await check(context, options, BASELINE);
  await context.baselines.keep(context.request, options, run);
  return run;
}

export interface Verified {
  readonly verdict: Verdict;
  readonly attempts: readonly CheckedRun[];
}

export interface CheckedTree {
  /** The tree to deliver. */
  readonly treeId: string;
  readonly round: number;
}

/** Retries a failed check as configured. The tree does not change in between. */
export async function verify(
  context: RunContext,
  baseline: Baseline,
  { treeId, round }: CheckedTree,
): Promise<Verified> {
  const { verify, gate } = context.request;
  if (verify.command === null && gate === null) return { verdict: "skipped", attempts: [] };
  await using delivered = await openAsDelivered(context, treeId);
  const attempts: CheckedRun[] = [];
  let isReady = false;
  for (;;) {
    const unready: CheckedRun | null = isReady ? null : await setUpAgain(delivered.context, { treeId, round });
    isReady = unready === null;
    attempts.push(unready ?? (await check(delivered.context, { verify: true, gate: true }, round)));
    const verdict = verdictOf(
      baseline.checks,
      attempts.map(({ checks }) => checks),
    );
    if (isDeliverable(verdict) || attempts.length > verify.retries) return { verdict, attempts };
  }
}

/** Runs setup for a change. If setup fails, the checks have failed; null if the tree is ready for them. */
async function setUpAgain(context: RunContext, { treeId, round }: CheckedTree): Promise<CheckedRun | null> {
  const { verify, gate } = context.request;
  const run = await runSetup(context, { round, treeId });
  if (run === null || isGreen(run)) return null;
  const log = formatCommandRun(verify.setupCommand ?? "", run);
  const end = { exitCode: exitCodeOf(run), durationMs: run.durationMs, log };
  return {
    checks: { verify: verify.command === null ? "none" : "red", gate: gate === null ? "none" : "red" },
    durationMs: run.durationMs,
    output: shortened(log, OUTPUT_BYTES_MAX),
    verify: verify.command === null ? null : end,
    gate: gate === null ? null : end,
    unavailable: null,
    isCached: false,
  };
}

const NOT_RUN = { check: "none", output: "", end: null, unavailable: null } as const;
/** Output of a failed check shown to an agent, per command. */
const OUTPUT_BYTES_MAX = 64 * 1024;

async function check(context: RunContext, options: CheckOptions, round: number): Promise<CheckedRun> {
  const { verify, gate } = context.request;
  const startedAt = context.elapsed();
  const first = await ask(context, options.verify ? verify.command : null, {
    name: "verify command",
    timeoutS: verify.timeoutS,
    round,
  });
  const second = await ask(context, options.gate && gate !== null ? gate.command : null, {
    name: "gate",
    ...(round === BASELINE && { environment: { [GATE_AT]: AT_BASE } }),
    timeoutS: gate?.timeoutS ?? verify.timeoutS,
    round,
  });
  return {
    checks: { verify: first.check, gate: second.check },
    durationMs: Math.round(context.elapsed() - startedAt),
    output: shortened(first.output, OUTPUT_BYTES_MAX) + shortened(second.output, OUTPUT_BYTES_MAX),
    verify: first.end,
    gate: second.end,
    unavailable: first.unavailable ?? second.unavailable,
    isCached: false,
  };
}

interface Answered {
  readonly check: Check;
  readonly output: string;
  readonly end: CommandEnd | null;
  readonly unavailable: string | null;
}

interface Asking {
  readonly name: "verify command" | "gate";
  readonly timeoutS: number;
  readonly round: number;
  readonly environment?: Readonly<Record<string, string>>;
}

async function ask(context: RunContext, command: string | null, asking: Asking): Promise<Answered> {
  if (command === null) return NOT_RUN;
  const { name, timeoutS, round, environment = {} } = asking;
  const run = await runShellCommand(context, { command, purpose: "check", timeoutMs: timeoutS * 1000, environment });
  const text = formatCommandRun(command, run);
  const end = { exitCode: exitCodeOf(run), durationMs: run.durationMs, log: text };
  const data = { exit_code: end.exitCode, duration_ms: end.durationMs };
  context.reporter.say({ from: { role: "worker" }, kind: "verify", text, data, round });
  const missing = missingTool({ exitCode: end.exitCode, output: run.output }, await foldersOf(context.tree));
  const unavailable = missing === null ? null : missingMessage(name, missing, end.exitCode);
  return { check: isGreen(run) ? "green" : "red", output: text, end, unavailable };
}

function formatCommandRun(command: string, run: CommandRun): string {
  return `$ ${command}\n${run.output}\n[${endingOf(run)}, ${run.durationMs} ms]\n`;
}
