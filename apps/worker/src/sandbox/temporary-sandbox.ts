/** A sandbox like that of a run, in empty folders, for one short command. Removed on close. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Network } from "@triptych/contracts";
import { endProcessesOf } from "../process/end-processes.ts";
import { environmentOf, type Environment } from "../process/environment.ts";
import type { SandboxFolders, SandboxFactory, SandboxRequest, CreateSandbox } from "./sandbox-factory.ts";

export interface TemporarySandbox extends AsyncDisposable {
  readonly sandboxFolders: SandboxFolders;
  readonly sandbox: SandboxFactory;
  readonly environment: Environment;
}

interface TemporarySandboxOptions {
  readonly network: Extract<Network, "none" | "model_only">;
  readonly host: Readonly<Record<string, string | undefined>>;
}

export async function createTemporarySandbox(
  open: CreateSandbox,
  { network, host }: TemporarySandboxOptions,
): Promise<TemporarySandbox> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-brief-"));
  const inside = (name: string) => join(folder, name);
  const folders = { home: inside("home"), temporary: inside("tmp") };
  const sandboxFolders = { tree: inside("tree"), gitFolder: inside("git"), notes: inside("notes"), ...folders };
  const remove = async () => {
    await endProcessesOf(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    for (const path of Object.values(sandboxFolders)) await mkdir(path);
    const isolation = { levelRequired: "none", network, allowHosts: [] } as const;
    const sandbox = await open(sandboxFolders, { ...MODEST, isolation, onBroken: () => {} });
    return {
      sandboxFolders,
      sandbox,
      environment: environmentOf(host, folders),
      async [Symbol.asyncDispose]() {
        await sandbox[Symbol.asyncDispose]();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Enough for one small response. */
const MODEST: Omit<SandboxRequest, "onBroken" | "isolation"> = {
  prices: new Map(),
  limits: {
    timeoutS: 60,
    idleTimeoutS: 60,
    maxChangedFiles: null,
    maxDiffLines: null,
    diskMb: 512,
    memoryMb: null,
    processes: null,
    maxCostMicro: null,
    maxTokens: 200_000,
    maxTurns: 5,
  },
};
