/** Whether lock files can be written here: a package manager is found or can be fetched, and its registry answers. */
import { findProgram } from "../agents/find-program.ts";
import type { RunOrder } from "../run-request.ts";
import type { Outside } from "../scouts/run-scan.ts";
import type { LockTool } from "./lock-tool.ts";

export interface Here {
  readonly order: Pick<RunOrder, "isolation">;
  readonly outside: Outside;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const WAIT_MS = 10_000;

/** Asks the registry once, however often it is called. */
export function canUpdateLock({ order, outside, environment }: Here): (tool: LockTool) => Promise<boolean> {
  let registry: Promise<boolean> | null = null;
  return async ({ program }) => {
    // Programs of an image are not those of this machine, and a closed network leads to no registry.
    if (order.isolation.levelRequired === "container" || order.isolation.network !== "open") return false;
    const found = (await findProgram(program, environment)) ?? (await findProgram("npm", environment));
    return found !== undefined && (await (registry ??= answers(outside)));
  };
}

/** Any status is an answer: not every registry has an address for that. */
async function answers({ registryAddress, fetch }: Outside): Promise<boolean> {
  try {
    await fetch(await registryAddress(), { method: "HEAD", signal: AbortSignal.timeout(WAIT_MS) });
    return true;
  } catch {
    return false;
  }
}
