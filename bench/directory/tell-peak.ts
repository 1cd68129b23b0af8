/** Preloaded into a program that is measured: says at its end, on the descriptor of the measurer, the most memory it ever had. */
import { writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const DESCRIPTOR = 3;

if (isMainThread) {
  process.on("exit", () => {
    // Of the whole process, all threads and what is not JavaScript included; in KiB.
    writeSync(DESCRIPTOR, `peak ${process.resourceUsage().maxRSS}\n`);
  });
}
