/** For a process that works for minutes beside others, a service among them: it goes last, and takes no more memory than it needs. */
import { constants, setPriority } from "node:os";
import { setFlagsFromString } from "node:v8";

/** Where the flag below is known to be read whenever the heap grows, and not at the start alone. */
const V8 = /^13\./;

export function yieldToOthers(): void {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  // New objects get 128 MB otherwise, on a machine with much memory. With the 32 MB that the start has taken, an import of a
  // million rows needs 100 MB less and is no slower: nearly all that a row leaves behind is gone before they are full.
  if (V8.test(process.versions.v8)) setFlagsFromString("--semi-space-growth-factor=1");
}
