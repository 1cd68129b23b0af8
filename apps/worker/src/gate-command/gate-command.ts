/** `triptych gate` as a subcommand of the product. */
import { Command } from "commander";
import { askGate, GATE_USAGE } from "./gate.ts";

export function gateCommand(environment: Readonly<Record<string, string | undefined>>): Command {
  return new Command("gate")
    .description("ask one small question about the tree here; the exit code is the answer")
    .exitOverride()
    .argument("[words...]", "which gate, and its words")
    .allowUnknownOption()
    .passThroughOptions()
    .addHelpText("after", HELP)
    .action(async (args: string[]) => {
      const { code, says } = await askGate(args, { folder: process.cwd(), environment });
      (code === 0 ? process.stdout : process.stderr).write(`${says}\n`);
      process.exitCode = code;
    });
}

const HELP = `
Gates:
${GATE_USAGE}

Exits with 0 when it is so, 1 when it is not, 2 when that could not be found out.
Candidates of a scout carry such commands as their proof; in a worker's checks \`triptych\` is found on PATH.`;
