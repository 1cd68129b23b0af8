/** The directory's CLI. */
export { directoryCommands } from "./directory-commands.ts";
export type { Output, Surroundings } from "./cli-context.ts";
export { yieldToOthers } from "./lower-priority.ts";
