/** Whether lock files can be written here: a package manager is available, and its registry responds. */
import { findProgram } from "../../agents/find-program.ts";
import type { RunRequest } from "../../run/run-request.ts";
import type { NetworkAccess } from "../network-access.ts";
import type { LockTool } from "./lock-tool.ts";

export interface LockUpdateContext {
  readonly request: Pick<RunRequest, "isolation">;
  readonly network: Pick<NetworkAccess, "fetch" | "registryAddress">;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const WAIT_MS = 10_000;

/** Queries the registry once, however often it is called. */
export function canUpdateLock({
  request,
  network,
  environment,
}: LockUpdateContext): (tool: LockTool) => Promise<boolean> {
  let registry: Promise<boolean> | null = null;
  return async ({ program }) => {
    // An image has its own programs, and a restricted network reaches no registry.
    if (request.isolation.levelRequired === "container" || request.isolation.network !== "open") return false;
    const found = (await findProgram(program, environment)) ?? (await findProgram("npm", environment));
    return found !== undefined && (await (registry ??= answers(network)));
  };
}

/** Any status counts: not every registry has this endpoint. */
async function answers({ registryAddress, fetch }: LockUpdateContext["network"]): Promise<boolean> {
  try {
    await fetch(await registryAddress(), { method: "HEAD", signal: AbortSignal.timeout(WAIT_MS) });
    return true;
  } catch {
    return false;
  }
}
