/** The CLI. It loads the code of a command when that command runs. */
import { Command, CommanderError } from "commander";
import { commandFrom, readCommandTree } from "./command-tree.ts";
import { COMMANDS } from "./commands.ts";
import packageFile from "../package.json" with { type: "json" };

export async function main(args: readonly string[]): Promise<void> {
  endQuietlyWithoutReader();
  try {
    await run(args);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

async function run(args: readonly string[]): Promise<void> {
  const [first = "--help"] = args;
  const load = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  // Arguments after a gate's name are parsed by the gate.
  const words = first === "gate" ? args.slice(1, 2) : args;
  if (load === undefined || words.some((word) => word === "--help" || word === "-h")) {
    let runs = false;
    const program = createProgram();
    for (const node of readCommandTree()) program.addCommand(commandFrom(node, () => (runs = true)));
    await program.parseAsync(args.length === 0 ? [first] : [...args], { from: "user" });
    // `--help` was an option value, or an argument for another program.
    if (!runs || load === undefined) return;
  }
  const program = createProgram().addCommand(await load(process.env));
  await program.parseAsync([...args], { from: "user" });
}

function createProgram(): Command {
  return (
    new Command("triptych")
      .description("Three metered JSON services in one program: a maintenance panel, a directory, routing decisions.")
      .version(packageFile.version)
      .exitOverride()
      // A gate parses its own options.
      .enablePositionalOptions()
      .showHelpAfterError("(triptych --help lists all commands)")
      .addHelpText("after", HELP)
  );
}

/** 1 failed, 2 usage error or invalid environment. Commander has already printed usage errors. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  // Compared by name: importing the class would load the schema library for every help text.
  return error instanceof Error && error.name === "ConfigError" ? 2 : 1;
}

/** `triptych … | head` closes stdout early: exit quietly. */
function endQuietlyWithoutReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
}

const HELP = `
Examples:
  triptych start                        start everything on an embedded store, without configuration
  triptych start directory              start only the directory
  triptych directory keys create --name "My app" --plan pro
  triptych worker doctor                check whether this machine can run a worker
  triptych mcp                          offer the services to an agent as tools
  triptych directory import musees.csv --type place --dry-run
  triptych panel create-account --email owner@example.org

Data is stored in TRIPTYCH_DATA (default .triptych); DATABASE_URL=postgres://… puts every service on PostgreSQL.
The keys of the first start are in credentials.json in that folder. docs/operators.md explains every variable.`;
