import { RunFault } from "../run-fault.ts";
import { endingOf, isGreen, runShellCommand } from "./shell-command.ts";
import type { Scene } from "./scene.ts";

/** Makes the tree ready for its checks. Throws `RunFault` `setup_failed`. */
export async function setUp(scene: Scene): Promise<void> {
  const { setupCommand, timeoutS } = scene.order.verify;
  if (setupCommand === null) return;
  const run = await runShellCommand(scene, { command: setupCommand, purpose: "setup", timeoutMs: timeoutS * 1000 });
  scene.reporter.say({ from: { role: "worker" }, kind: "log", text: run.output, round: 0 });
  if (!isGreen(run)) throw new RunFault("setup_failed", `the setup command ended with ${endingOf(run)}`);
}
