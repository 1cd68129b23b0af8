import { RunError } from "../run/run-error.ts";
import { missingMessage, missingProgram } from "../process/missing-tool.ts";
import { mayInstall, neededHosts, NO_RETRIES, noNetworkMessage } from "./setup-network.ts";
import { endingOf, exitCodeOf, isGreen, runShellCommand, type CommandRun } from "./shell-command.ts";
import { keepDependencies, restoreDependencies } from "./setup-cache.ts";
import type { RunContext } from "./run-context.ts";

/** UTF-16 code units of the output in the message of a failed run. */
const LAST_LINES_MAX = 1500;

/** Prepares the tree for its checks. Throws `RunError` `setup_failed`, or `checks_unavailable` if a program is missing. */
export async function setUp(context: RunContext): Promise<void> {
  const run = await runSetup(context, { round: 0, treeId: context.request.clone.sha });
  if (run === null || isGreen(run)) return;
  const { network } = context.sandbox;
  const exitCode = exitCodeOf(run);
  const missing = missingProgram({ exitCode, output: run.output });
  if (missing !== null) throw new RunError("checks_unavailable", missingMessage("setup command", missing, exitCode));
  const reason =
    hasNoNetwork(context) && mayInstall(context.request.verify.setupCommand ?? "")
      ? `; ${noNetworkMessage(network, [])}`
      : "";
  throw new RunError(
    "setup_failed",
    `the setup command failed with ${endingOf(run)}${reason}${lastLinesOf(run.output)}`,
  );
}

/** The end of an output shows the error of a package manager. */
function lastLinesOf(output: string): string {
  const end = output.trim().slice(-LAST_LINES_MAX).toWellFormed();
  return end === "" ? "" : `\n${end}`;
}

function hasNoNetwork({ sandbox: { network } }: RunContext): boolean {
  return network === "none" || network === "model_only";
}

interface SetupInput {
  /** Round of the team; 0 before the first agent. */
  readonly round: number;
  /** Git tree of the files in the working tree. */
  readonly treeId: string;
}

/** The failed part, or the last one; null if nothing had to run. Dependencies of the same inputs come from the cache. */
export async function runSetup(context: RunContext, { round, treeId }: SetupInput): Promise<CommandRun | null> {
  const { setupCommand } = context.request.verify;
  if (setupCommand === null) return null;
  const planned = (await context.dependencies?.plan(treeId)) ?? null;
  const rest = planned?.rest ?? null;
  if (planned === null || !(await restoreDependencies(context, planned, round))) {
    if (round === 0) await requireNetwork(context, setupCommand);
    const run = await runPart(context, planned?.install ?? setupCommand, round);
    if (!isGreen(run)) return run;
    if (planned !== null && round === 0) await keepDependencies(context, planned);
    if (rest === null) return run;
  }
  return rest === null ? null : runPart(context, rest, round);
}

async function requireNetwork(context: RunContext, setupCommand: string): Promise<void> {
  const hosts = hasNoNetwork(context) ? await neededHosts(setupCommand, context.treeOnDisk) : null;
  if (hosts !== null) throw new RunError("setup_failed", noNetworkMessage(context.sandbox.network, hosts));
}

async function runPart(context: RunContext, command: string, round: number): Promise<CommandRun> {
  const { timeoutS } = context.request.verify;
  const environment = hasNoNetwork(context) ? { ...context.environment, ...NO_RETRIES } : context.environment;
  const run = await runShellCommand(
    { ...context, environment },
    { command, purpose: "setup", timeoutMs: timeoutS * 1000 },
  );
  const data = { exit_code: exitCodeOf(run), duration_ms: run.durationMs };
  context.reporter.say({ from: { role: "worker" }, kind: "log", text: run.output, data, round });
  return run;
}
