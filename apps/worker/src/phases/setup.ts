import { RunError } from "../run/run-error.ts";
import { missingMessage, missingProgram } from "../process/missing-tool.ts";
import { mayInstall, neededHosts, NO_RETRIES, noNetworkMessage } from "./setup-network.ts";
import { endingOf, exitCodeOf, isGreen, runShellCommand, type CommandRun } from "./shell-command.ts";
import type { RunContext } from "./run-context.ts";

/** UTF-16 code units of the output in the message of a failed run. */
const LAST_LINES_MAX = 1500;

/** Prepares the tree for its checks. Throws `RunError` `setup_failed`, or `checks_unavailable` where a program is missing. */
export async function setUp(context: RunContext): Promise<void> {
  const { setupCommand } = context.request.verify;
  if (setupCommand === null) return;
  const { network } = context.sandbox;
  const hosts = hasNoNetwork(context) ? await neededHosts(setupCommand, context.treeOnDisk) : null;
  if (hosts !== null) throw new RunError("setup_failed", noNetworkMessage(network, hosts));
  const run = await runSetup(context, 0);
  if (run === null || isGreen(run)) return;
  const exitCode = exitCodeOf(run);
  const missing = missingProgram({ exitCode, output: run.output });
  if (missing !== null) throw new RunError("checks_unavailable", missingMessage("setup command", missing, exitCode));
  const reason = hasNoNetwork(context) && mayInstall(setupCommand) ? `; ${noNetworkMessage(network, [])}` : "";
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

export async function runSetup(context: RunContext, round: number): Promise<CommandRun | null> {
  const { setupCommand, timeoutS } = context.request.verify;
  if (setupCommand === null) return null;
  const environment = hasNoNetwork(context) ? { ...context.environment, ...NO_RETRIES } : context.environment;
  const placed = { ...context, environment };
  const run = await runShellCommand(placed, { command: setupCommand, purpose: "setup", timeoutMs: timeoutS * 1000 });
  const data = { exit_code: exitCodeOf(run), duration_ms: run.durationMs };
  context.reporter.say({ from: { role: "worker" }, kind: "log", text: run.output, data, round });
  return run;
}
