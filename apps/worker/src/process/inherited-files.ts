/**
 * Closes file descriptors inherited from the parent: children would inherit them, even in a sandbox. Node's own files are close-on-exec, so
 * any other beyond the three streams was inherited.
 */
import { closeSync, readdirSync, readFileSync } from "node:fs";

const NOT_HANDED_ON = 0o2000000;

/** Linux only; other systems have no such list, and no sandbox either. Call this before starting anything. */
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
    // The descriptor of the listing itself is already closed.
    return false;
  }
}
