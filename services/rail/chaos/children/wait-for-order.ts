/**
 * A campaign child: loads everything, then waits for one line with its role. A successor is ready before the kill, so a
 * restart takes only as long as opening the store.
 */
import { once } from "node:events";
import * as module from "node:module";
import { createInterface } from "node:readline";

/** Call after all imports. Returns the order as JSON. Ends the process when its parent has exited. */
export async function waitForConfig(): Promise<string> {
  // A killed process cannot flush the cache at exit.
  module.flushCompileCache();
  process.on("disconnect", () => process.exit());
  say("loaded");
  const [line] = await once(createInterface({ input: process.stdin }), "line");
  return String(line);
}

/** The second line of a child is its address. */
export function say(message: string): void {
  process.send?.(message);
}
