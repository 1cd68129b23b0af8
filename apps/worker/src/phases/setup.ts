import { RunFault } from "../run-error.ts";
import { missingMessage, missingProgram } from "../verification/missing-tool.ts";
import { mayInstall, neededHosts, NO_RETRIES, noNetworkMessage } from "./setup-network.ts";
import { endingOf, exitCodeOf, isGreen, runShellCommand, type CommandRun } from "./shell-command.ts";
import type { Scene } from "./run-context.ts";

/** Makes the tree ready for its checks. Throws `RunFault` `setup_failed`, or `checks_unavailable` where a program is missing. */
export async function setUp(scene: Scene): Promise<void> {
  const { setupCommand } = scene.order.verify;
  if (setupCommand === null) return;
  const { network } = scene.enclosure;
  const hosts = hasNoNetwork(scene) ? await neededHosts(setupCommand, scene.treeOnDisk) : null;
  if (hosts !== null) throw new RunFault("setup_failed", noNetworkMessage(network, hosts));
  const run = await runSetup(scene, 0);
  if (run === null || isGreen(run)) return;
  const exitCode = exitCodeOf(run);
  const missing = missingProgram({ exitCode, output: run.output });
  if (missing !== null) throw new RunFault("checks_unavailable", missingMessage("setup command", missing, exitCode));
  const reason = hasNoNetwork(scene) && mayInstall(setupCommand) ? `; ${noNetworkMessage(network, [])}` : "";
  throw new RunFault("setup_failed", `the setup command ended with ${endingOf(run)}${reason}`);
}

function hasNoNetwork({ enclosure: { network } }: Scene): boolean {
  return network === "none" || network === "model_only";
}

/** Null where there is nothing to set up. */
export async function runSetup(scene: Scene, round: number): Promise<CommandRun | null> {
  const { setupCommand, timeoutS } = scene.order.verify;
  if (setupCommand === null) return null;
  const environment = hasNoNetwork(scene) ? { ...scene.environment, ...NO_RETRIES } : scene.environment;
  const placed = { ...scene, environment };
  const run = await runShellCommand(placed, { command: setupCommand, purpose: "setup", timeoutMs: timeoutS * 1000 });
  const data = { exit_code: exitCodeOf(run), duration_ms: run.durationMs };
  scene.reporter.say({ from: { role: "worker" }, kind: "log", text: run.output, data, round });
  return run;
}
