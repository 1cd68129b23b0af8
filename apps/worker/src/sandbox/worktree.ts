/** A folder and an environment without kernel isolation: the network is open, whatever the run requires. */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../process/folders.ts";
import { runProcess } from "../process/run-process.ts";
import type { LaunchProcess, CreateSandbox } from "./sandbox-factory.ts";
import { openHostNetwork, type ModelAccess } from "./network.ts";
import { watchUse } from "./resource-monitor.ts";

export function createWorktrees(level: "none" | "worktree", access: ModelAccess): CreateSandbox {
  return async (folders, request) => {
    const network = await openHostNetwork(access, request);
    const use = watchUse({ folders, request, sum: ["du"], hasProcesses: false, group: null });
    const launch: LaunchProcess = (spec) => use.during(spec, runProcess);
    return {
      level,
      network: "open",
      modelProxy: network.modelProxy,
      launcher: () => launch,
      async openCleanTree() {
        const tree = await mkdtemp(join(folders.temporary, "clean-"));
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
