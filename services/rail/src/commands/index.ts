export { railCommands } from "./rail-commands.ts";
export type { Output, CliContext } from "./cli-context.ts";
