/** Preloaded into a measured program: writes its peak memory to the measurer's file descriptor at exit. */
import { writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const DESCRIPTOR = 3;

if (isMainThread) {
  process.on("exit", () => {
    // `maxRSS` is the peak of the whole process, including native memory, in KiB.
    writeSync(DESCRIPTOR, `peak ${process.resourceUsage().maxRSS}\n`);
  });
}
