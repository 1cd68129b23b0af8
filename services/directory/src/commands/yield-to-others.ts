/** For a process that works for minutes beside others, a service among them: it goes last, and takes no more memory than it needs. */
import { existsSync, readdirSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { setFlagsFromString } from "node:v8";

/** Of this process, by id. */
const THREADS = "/proc/self/task";
/** Where the flag below is known to be read whenever the heap grows, and not at the start alone. */
const V8 = /^13\./;

export function yieldToOthers(): void {
  for (const thread of threadsOfThis()) goLast(thread);
  // New objects get 128 MB otherwise, on a machine with much memory. With the 32 MB that the start has taken, an import of a
  // million rows needs 100 MB less and is no slower: nearly all that a row leaves behind is gone before they are full.
  if (V8.test(process.versions.v8)) setFlagsFromString("--semi-space-growth-factor=1");
}

/** On Linux each thread has a priority of its own, and V8 has started its helpers by now; elsewhere 0 is the whole process. */
function threadsOfThis(): number[] {
  return existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [0];
}

function goLast(thread: number): void {
  const { PRIORITY_BELOW_NORMAL: last } = constants.priority;
  try {
    // Whoever was started with less (`nice`) keeps it: going back up is refused to all but the system's owner.
    if (getPriority(thread) < last) setPriority(thread, last);
  } catch (error) {
    // A helper that has ended meanwhile.
    if (!(error instanceof Error && "code" in error && error.code === "ERR_SYSTEM_ERROR")) throw error;
  }
}
