/** An enclosure like that of a run, in empty folders of its own, for one short question to a program. Gone when it is closed. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Network } from "@triptych/contracts";
import { endProcessesOf } from "../process/end-processes.ts";
import { environmentOf, type Environment } from "../process/environment.ts";
import type { EnclosedPlace, Enclosure, EnclosureOrder, OpenEnclosure } from "./sandbox-factory.ts";

export interface BriefPlace extends AsyncDisposable {
  readonly enclosed: EnclosedPlace;
  readonly enclosure: Enclosure;
  readonly environment: Environment;
}

interface BriefOptions {
  readonly network: Extract<Network, "none" | "model_only">;
  readonly host: Readonly<Record<string, string | undefined>>;
}

export async function openBriefPlace(open: OpenEnclosure, { network, host }: BriefOptions): Promise<BriefPlace> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-brief-"));
  const inside = (name: string) => join(folder, name);
  const folders = { home: inside("home"), temporary: inside("tmp") };
  const enclosed = { tree: inside("tree"), gitFolder: inside("git"), notes: inside("notes"), ...folders };
  const remove = async () => {
    await endProcessesOf(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    for (const path of Object.values(enclosed)) await mkdir(path);
    const isolation = { levelRequired: "none", network, allowHosts: [] } as const;
    const enclosure = await open(enclosed, { ...MODEST, isolation, onBroken: () => {} });
    return {
      enclosed,
      enclosure,
      environment: environmentOf(host, folders),
      async [Symbol.asyncDispose]() {
        await enclosure[Symbol.asyncDispose]();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Enough for one small answer, and not for more. */
const MODEST: Omit<EnclosureOrder, "onBroken" | "isolation"> = {
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
