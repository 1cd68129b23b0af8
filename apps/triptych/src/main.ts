/** The command line of the product: combines the commands of all services. */
import { Argument, Command, CommanderError } from "commander";
import { loadServices, SERVICE_NAMES, type ServiceName } from "./services.ts";
import { start } from "./start.ts";
import { storeCommands } from "./store-copy.ts";

export async function main(args: readonly string[]): Promise<void> {
  const program = new Command("triptych")
    .description("Three metered JSON services in one program: a maintenance panel, a directory, routing decisions.")
    .version("0.1.0")
    .exitOverride()
    // A gate parses its own options.
    .enablePositionalOptions()
    .showHelpAfterError("(triptych --help lists all commands)")
    .addHelpText("after", HELP);
  program
    // Without a command. An unknown one is a typo, and not a service name: those are commands themselves.
    .command("start", { isDefault: args.length === 0 })
    .description("start the services named, or all of them, in this process")
    .addArgument(new Argument("[services...]", "which of them").choices(SERVICE_NAMES))
    .addHelpText("after", START_HELP)
    .action((names: ServiceName[]) => start(names, process.env));
  for (const service of await loadServices(spokenOf(args))) program.addCommand(service.commands());

  program.addCommand(storeCommands());
  const [first] = args;
  // Loading the worker's program takes as long as a service's: only for its own command, and for help.
  if (first === "worker" || first === "gate" || spokenOf(args).length === SERVICE_NAMES.length) {
    const { workerCommand, gateCommand } = await import("@triptych/worker");
    program.addCommand(workerCommand(process.env)).addCommand(gateCommand(process.env));
  }
  if (first === "mcp" || spokenOf(args).length === SERVICE_NAMES.length) {
    const { mcpCommand } = await import("@triptych/mcp");
    program.addCommand(mcpCommand(process.env));
  }
  endQuietlyWithoutReader();
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** Services whose commands may be needed: the first named one, none for start or copy, all for help. */
function spokenOf([first]: readonly string[]): readonly ServiceName[] {
  if (first === undefined || ["start", "store", "worker", "gate", "mcp"].includes(first)) return [];
  const named = SERVICE_NAMES.filter((name) => name === first);
  return named.length > 0 ? named : SERVICE_NAMES;
}

/** Commander has already reported usage errors; others are reported here, in one sentence. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
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
  triptych start                        everything, on an embedded store, without configuration
  triptych start directory              only the directory
  triptych directory keys create --name "My app" --plan pro
  triptych worker doctor                can this machine work for a panel?
  triptych mcp                          the services as tools for an agent
  triptych directory import musees.csv --type place --dry-run
  triptych panel create-account --email owner@example.org

Data live in TRIPTYCH_DATA (default .triptych); DATABASE_URL=postgres://… puts every service on PostgreSQL.
First-start keys stand in credentials.json in that folder. docs/operators.md explains every variable.`;

const START_HELP = `
Stops on SIGTERM or SIGINT: finishes what is in flight (10 s), then exits with 0; a second signal a second later exits at once.`;
