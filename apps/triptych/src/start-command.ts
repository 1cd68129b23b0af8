import { Argument, Command } from "commander";
import { SERVICE_NAMES, type ServiceName } from "./services.ts";

export function startCommand(environment: Readonly<Record<string, string | undefined>>): Command {
  return new Command("start")
    .description("start the given services, or all of them, in this process")
    .exitOverride()
    .addArgument(new Argument("[services...]", "services to start (default: all)").choices(SERVICE_NAMES))
    .addHelpText("after", HELP)
    .action(async (names: ServiceName[]) => (await import("./start.ts")).start(names, environment));
}

const HELP = `
Stops on SIGTERM or SIGINT: gives requests in progress 10 s to finish, then exits with 0. A second signal, at least one second later, exits immediately.`;
