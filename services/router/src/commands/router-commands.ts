/** `triptych router …`: offline commands. */
import { answersProbe, loadBundledModels } from "@triptych/decisions";
import { Command } from "commander";
import { headCommands, type CliContext } from "./head-commands.ts";

export function routerCommands(context: CliContext): Command {
  const { stdout } = context;
  const router = new Command("router").description("verify the router and manage its heads").exitOverride();
  router
    .command("verify")
    .description("verify the bundled model files and the decisions of the engine on this machine")
    .action(() => verify(stdout));
  router.addCommand(headCommands(context));
  return router;
}

function verify(stdout: { write(text: string): unknown }): void {
  const artifacts = loadBundledModels();
  if (!answersProbe(artifacts, artifacts.probe))
    throw new Error("The model files are intact, but this machine computes different results than the release.");
  const { trunk, experts } = artifacts;
  stdout.write(`trunk ${trunk.sha256}\n`);
  for (const [name, { sha256, routes }] of experts)
    stdout.write(`expert ${name}: ${routes.length} routes, ${sha256}\n`);
  stdout.write("All model files match the release, and the probe result is bit-identical.\n");
}
