/** One scout on a test repository: an order with defaults, and all its messages. */
import { join } from "node:path";
import { createBaselines, createMirrors, type Agent, type BusItem, type StateChange } from "../../src/index.ts";
import { systemClock } from "../../src/run/clock.ts";
import type { DependencyTools } from "../../src/dependencies/run-dependencies.ts";
import type { CreateSandbox } from "../../src/sandbox/sandbox-factory.ts";
import { createWorktrees } from "../../src/sandbox/worktree.ts";
import { NO_TOOLS } from "./no-tools.ts";
import { NO_MODELS } from "./no-models.ts";
import { planRepair } from "../../src/scouts/mend/plan-repair.ts";
import { explore } from "../../src/phases/explore/explore.ts";
import type { ExploreRequest, ExploreOutcome, ExploreReport } from "../../src/phases/explore/explore-request.ts";
import type { NetworkAccess } from "../../src/scouts/network-access.ts";
import type { TestRepository } from "./repository.ts";
import { createRunRequest } from "./run-story.ts";

export interface Scouted {
  readonly outcome: ExploreOutcome;
  readonly items: readonly BusItem[];
  readonly states: readonly StateChange["state"][];
}

export interface ScoutOptions {
  readonly agent?: Agent;
  readonly request?: Partial<ExploreRequest>;
  readonly outside?: Partial<NetworkAccess>;
  readonly today?: number;
  readonly createSandbox?: CreateSandbox;
  readonly dependencies?: DependencyTools;
  /** The clock that measures commands. */
  readonly elapsed?: () => number;
  readonly hostEnvironment?: Readonly<Record<string, string>>;
}

/** Long after every commit of a test repository. */
export const LATER = Date.UTC(2030, 0, 1);

const SCRIPTED = { cli: "scripted", model: null, command: null };

/** No external service responds. */
const NO_NETWORK: NetworkAccess = {
  fetch: () => Promise.reject(new Error("no network here")),
  registryAddress: async () => "http://registry.test",
  tools: NO_TOOLS.tools,
};

export async function scoutOn(repository: TestRepository, options: ScoutOptions = {}): Promise<Scouted> {
  const items: BusItem[] = [];
  const states: StateChange["state"][] = [];
  const request: ExploreRequest = {
    ...createRunRequest(repository, {
      verify: { command: null, setupCommand: null, timeoutS: 60, retries: 0, baseline: true },
    }),
    scouts: { scan: true, agent: options.agent !== undefined },
    isolation: { levelRequired: "worktree", network: "model_only", allowHosts: [] },
    checks: null,
    areas: ["**"],
    maxCandidates: 50,
    existingFindings: [],
    deps: { minReleaseAgeDays: 0, group: "none" },
    ...options.request,
  };
  const outcome = await explore(request, {
    folder: join(repository.folder, "run"),
    mirrors: createMirrors(join(repository.folder, "mirrors"), systemClock),
    baselines: createBaselines(join(repository.folder, "baselines"), {}),
    dependencies: options.dependencies ?? null,
    teamMember: options.agent === undefined ? null : { role: "scout", member: SCRIPTED, agent: options.agent },
    createSandbox: options.createSandbox ?? createWorktrees("worktree", NO_MODELS),
    reporter: { say: (item) => void items.push(item), enter: ({ state }) => void states.push(state) },
    hostEnvironment: { PATH: process.env["PATH"], ...options.hostEnvironment },
    secrets: new Map(),
    signal: new AbortController().signal,
    now: () => options.today ?? LATER,
    elapsed: options.elapsed ?? (() => performance.now()),
    network: { ...NO_NETWORK, ...options.outside },
    isMendable: async (gate, tree) => (await planRepair(gate, { tree, year: 2030 })) !== null,
  });
  return { outcome, items, states };
}

/** Its findings; throws if the scout failed. */
export function foundBy({ outcome }: Scouted): ExploreReport {
  if (outcome.kind !== "found") throw new Error(`the scout ended as ${JSON.stringify(outcome)}`);
  return outcome.found;
}
