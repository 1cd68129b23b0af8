import { Argument, Command } from "commander";
import { SERVICE_NAMES, type ServiceName } from "./services.ts";

export function startCommand(environment: Readonly<Record<string, string | undefined>>): Command {
  return new Command("start")
    .description("start the services named, or all of them, in this process")
    .exitOverride()
    .addArgument(new Argument("[services...]", "which of them").choices(SERVICE_NAMES))
    .addHelpText("after", HELP)
    .action(async (names: ServiceName[]) => (await import("./start.ts")).start(names, environment));
}

const HELP = `
Stops on SIGTERM or SIGINT: finishes what is in flight (10 s), then exits with 0; a second signal a second later exits at once.`;
