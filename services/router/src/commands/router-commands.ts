/** `triptych router …`: offline commands, and tools for any server that decides. */
import { answersProbe, loadBundledModels } from "@triptych/decisions";
import { addJsonOption, printResult } from "@triptych/terminal";
import { Command } from "commander";
import { batchCommand } from "./batch-command.ts";
import { calibrateCommand } from "./calibrate-command.ts";
import { checkCommand } from "./check-command.ts";
import type { ToolContext } from "./decision-options.ts";
import { encoderCommands, type EncoderContext } from "./encoder-commands.ts";
import { headCommands } from "./head-commands.ts";

export function routerCommands(context: EncoderContext & ToolContext): Command {
  const { stdout } = context;
  const router = new Command("router").description("verify the router and manage its heads").exitOverride();
  addJsonOption(router.command("verify"))
    .description("verify the bundled model files and the decisions of the engine on this machine")
    .action((_options, command: Command) => verify(command, stdout));
  router.addCommand(headCommands(context));
  router.addCommand(encoderCommands(context));
  router.addCommand(calibrateCommand(context));
  router.addCommand(checkCommand(context));
  router.addCommand(batchCommand(context));
  return router;
}

function verify(command: Command, stdout: EncoderContext["stdout"]): void {
  const artifacts = loadBundledModels();
  if (!answersProbe(artifacts, artifacts.probe))
    throw new Error("The model files are intact, but this machine computes different results than the release.");
  const { trunk, experts } = artifacts;
  const found = [...experts].map(([name, { sha256, routes }]) => ({ name, routes: routes.length, sha256 }));
  printResult(command, stdout, {
    json: { valid: true, trunk: trunk.sha256, experts: found },
    text: () =>
      [
        `trunk ${trunk.sha256}`,
        ...found.map(({ name, routes, sha256 }) => `expert ${name}: ${routes} routes, ${sha256}`),
        "All model files match the release, and the probe result is bit-identical.",
      ].join("\n"),
  });
}
