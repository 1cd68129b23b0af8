/** A folder and an environment of its own, and nothing that the kernel holds: the network is open whatever the order says. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../folders.ts";
import { runProcess } from "../process/run-process.ts";
import type { Launch, OpenEnclosure } from "./sandbox-factory.ts";
import { openBeside, type ModelAccess } from "./network.ts";
import { watchUse } from "./resource-monitor.ts";

export function createWorktrees(level: "none" | "worktree", access: ModelAccess): OpenEnclosure {
  return async (place, order) => {
    const network = await openBeside(access, order);
    const use = watchUse({ place, order, sum: ["du"], hasProcesses: false, group: null });
    const launch: Launch = (asked) => use.during(asked, runProcess);
    return {
      level,
      network: "open",
      door: network.door,
      launcher: () => launch,
      async openCleanTree() {
        const tree = await mkdtemp(join(place.temporary, "clean-"));
        return {
          tree,
          seenAs: tree,
          launcher: () => launch,
          [Symbol.asyncDispose]: () => removeFolder(tree),
        };
      },
      async [Symbol.asyncDispose]() {
        use[Symbol.dispose]();
        await network[Symbol.asyncDispose]();
      },
    };
  };
}
