/**
 * A child of the campaign: it says when everything is loaded, then waits for the one line that tells it what to be. So the next one is
 * ready before the one that works is killed, and a restart takes as long as opening the store, not as long as reading the program.
 */
import { once } from "node:events";
import * as module from "node:module";
import { createInterface } from "node:readline";

/** To be called when all imports are done; answers the order, as JSON. Ends the process when its parent has gone. */
export async function waitForConfig(): Promise<string> {
  // Who is killed keeps nothing for the next one, so it is kept now.
  module.flushCompileCache();
  process.on("disconnect", () => process.exit());
  say("loaded");
  const [line] = await once(createInterface({ input: process.stdin }), "line");
  return String(line);
}

/** The second thing that a child says is its address. */
export function say(message: string): void {
  process.send?.(message);
}
