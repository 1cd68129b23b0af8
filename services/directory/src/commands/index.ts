/** The directory's CLI. */
export { directoryCommands } from "./directory-commands.ts";
export type { Output, Surroundings } from "./surroundings.ts";
export { yieldToOthers } from "./yield-to-others.ts";
