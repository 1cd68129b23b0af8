export { directoryCommands } from "./directory-commands.ts";
export type { Output, CliContext } from "./cli-context.ts";
export { lowerPriority } from "./lower-priority.ts";
