/** `triptych router …`: offline commands. */
import { answersProbe, loadBundledModels } from "@triptych/decisions";
import { Command } from "commander";
import { headCommands } from "./head-commands.ts";
import type { CliContext } from "./cli-context.ts";

export function routerCommands(context: CliContext): Command {
  const { stdout } = context;
  const router = new Command("router").description("routing decisions on your own machine").exitOverride();
  router
    .command("verify")
    .description("check that the trained files are those of the release, and that they decide as they did there")
    .action(() => verify(stdout));
  router.addCommand(headCommands(context));
  return router;
}

function verify(stdout: { write(text: string): unknown }): void {
  const artifacts = loadBundledModels();
  if (!answersProbe(artifacts, artifacts.probe))
    throw new Error(
      "The trained files are whole, but this machine computes other numbers with them than the release did.",
    );
  const { trunk, experts } = artifacts;
  stdout.write(`trunk ${trunk.sha256}\n`);
  for (const [name, { sha256, routes }] of experts)
    stdout.write(`expert ${name}: ${routes.length} routes, ${sha256}\n`);
  stdout.write("All files are those of the release, and the probe is answered to the last bit.\n");
}
