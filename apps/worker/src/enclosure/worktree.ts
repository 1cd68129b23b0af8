/** A folder and an environment of its own, and nothing that the kernel holds: the network is open whatever the order says. */
import { runProcess } from "../process/run-process.ts";
import type { OpenEnclosure } from "./enclosure.ts";
import { openBeside, type ModelAccess } from "./network.ts";
import { watchUse } from "./watch-use.ts";

export function createWorktrees(level: "none" | "worktree", access: ModelAccess): OpenEnclosure {
  return async (place, order) => {
    const network = await openBeside(access, order);
    const use = watchUse({ place, order, sum: ["du"], hasProcesses: false });
    return {
      level,
      network: "open",
      door: network.door,
      launcher: () => (asked) => use.during(asked, runProcess),
      async [Symbol.asyncDispose]() {
        use[Symbol.dispose]();
        await network[Symbol.asyncDispose]();
      },
    };
  };
}
