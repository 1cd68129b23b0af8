/**
 * A process of a campaign: loads everything, then waits for a line with its configuration. A successor is ready before
 * the kill, so a restart only takes as long as opening the store.
 */
import { once } from "node:events";
import * as module from "node:module";
import { createInterface } from "node:readline";

/** Call it after all imports. Returns the configuration as JSON. Ends the process when its parent has exited. */
export async function waitForConfig(): Promise<string> {
  // A killed process cannot flush the cache at exit.
  module.flushCompileCache();
  process.on("disconnect", () => process.exit());
  say("loaded");
  const [line] = await once(createInterface({ input: process.stdin }), "line");
  return String(line);
}

/** Prints a line. The second line of a child process is its address. */
export function say(message: string): void {
  process.send?.(message);
}
