/** `triptych gate` as a subcommand of the product. */
import { Command } from "commander";
import { askGate, GATE_USAGE } from "./gate.ts";

export function gateCommand(environment: Readonly<Record<string, string | undefined>>): Command {
  return new Command("gate")
    .description("check one condition of the current folder; the exit code is the result")
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
Candidates of a scout carry such commands as their proof; in a worker's checks \`triptych\` is found on PATH.`;
