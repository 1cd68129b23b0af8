/** `triptych gate` as a subcommand of the product. */
import { Command } from "commander";
import { askGate, GATE_USAGE } from "./gate.ts";

export function gateCommand(environment: Readonly<Record<string, string | undefined>>): Command {
  return new Command("gate")
    .description("check a condition in the current folder and report it by exit code")
    .exitOverride()
    .argument("[words...]", "gate name and its arguments")
    .allowUnknownOption()
    .passThroughOptions()
    .addHelpText("after", HELP)
    .action(async (args: string[]) => {
      const { code, message } = await askGate(args, { folder: process.cwd(), environment });
      (code === 0 ? process.stdout : process.stderr).write(`${message}\n`);
      process.exitCode = code;
    });
}

const HELP = `
Gates:
${GATE_USAGE}

Exits with 0 if the condition holds, 1 if not, 2 if it cannot be checked.
A scout's candidates have such a command as their proof. In a worker's checks, \`triptych\` is in PATH.`;
