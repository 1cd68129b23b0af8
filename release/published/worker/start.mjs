/** The command of a worker that was downloaded from its panel: `worker` and `gate`. */
import * as module from "node:module";
import { Command, CommanderError } from "commander";

module.enableCompileCache();
const { workerCommand, gateCommand, WORKER_VERSION } = await import("./apps/worker/src/index.js");
const program = new Command("triptych")
  .version(WORKER_VERSION)
  .exitOverride()
  .enablePositionalOptions()
  .addCommand(workerCommand(process.env))
  .addCommand(gateCommand(process.env));
try {
  await program.parseAsync();
} catch (error) {
  // Commander has already reported usage errors.
  const isUsage = error instanceof CommanderError;
  if (!isUsage) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = isUsage ? (error.exitCode === 0 ? 0 : 2) : 1;
}
