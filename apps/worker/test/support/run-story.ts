/** One run of the worker on a test repository: an order with defaults, and all its messages. */
import { join } from "node:path";
import {
  createBaselines,
  createMirrors,
  runPhases,
  type Agent,
  type AgentMember,
  type BusItem,
  type RunLimits,
  type RunRequest,
  type RunOutcome,
  type StateChange,
} from "../../src/index.ts";
import type { DependencyTools } from "../../src/dependencies/run-dependencies.ts";
import type { CreateSandbox } from "../../src/sandbox/sandbox-factory.ts";
import { createWorktrees } from "../../src/sandbox/worktree.ts";
import { NO_MODELS } from "./no-models.ts";
import { systemClock } from "../../src/run/clock.ts";
import { soloTeam, type Team } from "../../src/agents/team-members.ts";
import { type TestRepository, VERIFY } from "./repository.ts";

export interface Story {
  readonly outcome: RunOutcome;
  readonly items: readonly BusItem[];
  readonly states: readonly StateChange[];
}

export interface StoryOptions {
  /** The only member of the team, unless `team` sets another one. */
  readonly agent?: Agent;
  /** Below that of the repository. */
  readonly folder?: string;
  readonly member?: AgentMember;
  readonly team?: Team;
  readonly request?: Partial<RunRequest>;
  readonly hostEnvironment?: Readonly<Record<string, string>>;
  readonly createSandbox?: CreateSandbox;
  readonly dependencies?: DependencyTools;
  readonly signal?: AbortSignal;
  readonly onItem?: (item: BusItem) => void;
}

export async function runStory(repository: TestRepository, options: StoryOptions): Promise<Story> {
  const items: BusItem[] = [];
  const states: StateChange[] = [];
  const outcome = await runPhases(createRunRequest(repository, options.request), {
    folder: join(repository.folder, options.folder ?? "run"),
    mirrors: createMirrors(join(repository.folder, "mirrors"), systemClock),
    baselines: createBaselines(join(repository.folder, "baselines"), {}),
    dependencies: options.dependencies ?? null,
    team: teamOf(options),
    createSandbox: options.createSandbox ?? createWorktrees("worktree", NO_MODELS),
    reporter: {
      say(item) {
        items.push(item);
        options.onItem?.(item);
      },
      enter: (change) => void states.push(change),
    },
    hostEnvironment: { PATH: process.env["PATH"], ...options.hostEnvironment },
    secrets: new Map(),
    signal: options.signal ?? new AbortController().signal,
    now: () => Date.UTC(2026, 0, 2),
    elapsed: () => performance.now(),
  });
  return { outcome, items, states };
}

function teamOf({ team, agent, member = { cli: "scripted", model: null, command: null } }: StoryOptions): Team {
  if (team !== undefined) return team;
  if (agent === undefined) throw new Error("a story needs a team or an agent");
  return soloTeam(member, agent);
}

export const LIMITS: RunLimits = {
  timeoutS: 300,
  idleTimeoutS: 300,
  maxChangedFiles: 40,
  maxDiffLines: 1500,
  diskMb: 64,
  memoryMb: null,
  processes: null,
  maxCostMicro: null,
  maxTokens: null,
  maxTurns: null,
};

export function createRunRequest({ url, sha }: TestRepository, changes: Partial<RunRequest> = {}): RunRequest {
  return {
    runId: "run_01",
    clone: { repository: "sum", url, branch: "main", sha, bearer: null },
    verify: { command: VERIFY, setupCommand: null, timeoutS: 60, retries: 0, baseline: true },
    gate: null,
    maxRounds: 1,
    focus: "Repair the sum",
    memories: [],
    limits: LIMITS,
    prices: new Map(),
    usdEur: 1,
    isolation: { levelRequired: "worktree", network: "open", allowHosts: [] },
    protectedPaths: [".github/**"],
    author: { name: "Triptych", email: "triptych@example.test" },
    ...changes,
  };
}
