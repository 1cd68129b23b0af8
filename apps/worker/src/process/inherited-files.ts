/**
 * Files that whoever started this process left open in it: they would be open in everything that it starts, in a sandbox too. Node
 * marks what it opens itself as not to be handed on; what has no such mark, and is none of the three streams, was inherited.
 */
import { closeSync, readdirSync, readFileSync } from "node:fs";

const NOT_HANDED_ON = 0o2000000;

/** Linux only: elsewhere nothing is known of them, and there is no sandbox either. To be called before anything else is begun. */
export function closeInheritedFiles(): void {
  if (process.platform !== "linux") return;
  for (const number of readdirSync("/proc/self/fd").map(Number)) {
    if (number > 2 && isInherited(number)) closeSync(number);
  }
}

function isInherited(number: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & NOT_HANDED_ON) === 0;
  } catch {
    // The one that the folder itself was read with is gone by now.
    return false;
  }
}
