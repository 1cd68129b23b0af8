/** The rail's words on the command line. */
export { railCommands } from "./rail-commands.ts";
export type { Output, CliContext } from "./cli-context.ts";
