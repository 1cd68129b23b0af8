/** A worker in this process: its connection in the same thread, and no delay between reconnects. */
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createBaselines } from "../../src/phases/baselines.ts";
import { discoverAgents } from "../../src/agents/agent-registry.ts";
import { keepConnected } from "../../src/connection/dial.ts";
import { workOn, type WorkerTools } from "../../src/session/do-run.ts";
import type { Work } from "../../src/session/run-session.ts";
import type { Clock } from "../../src/run/clock.ts";
import { createLicenseKey } from "../../src/connection/license-key.ts";
import type { Handshake } from "../../src/connection/connection.ts";
import { findLeftRuns } from "../../src/session/run-folder.ts";
import type { DependencyTools } from "../../src/dependencies/run-dependencies.ts";
import { startWorker, type Worker } from "../../src/connection/worker.ts";
import { mendOf } from "../../src/scouts/mend/mend.ts";
import { createWorktrees } from "../../src/sandbox/worktree.ts";
import { NO_MODELS } from "./no-models.ts";
import { createMirrors } from "../../src/git/clone.ts";
import type { PanelDouble } from "./fake-panel.ts";

export interface TestWorker extends Worker, AsyncDisposable {
  readonly log: readonly string[];
  readonly runs: string;
}

export interface TestWorkerOptions {
  readonly slots?: number;
  readonly isOnce?: boolean;
  readonly key?: string;
  readonly dependencies?: DependencyTools;
  readonly keyFile?: string;
  readonly named?: ReadonlyMap<string, readonly string[]>;
  /** Replaces clone, agent and checks. */
  readonly work?: Work;
  readonly onLog?: (text: string) => void;
}

export const INSTANT_CLOCK: Clock = {
  now: () => performance.now(),
  random: () => 0.5,
  wait: () => setImmediate(),
};

/** `folder`: the worker's own; a second worker on it is the first one after a restart. */
export async function startTestWorker(
  panel: PanelDouble,
  folder: string,
  options: TestWorkerOptions = {},
): Promise<TestWorker> {
  const log: string[] = [];
  const runs = join(folder, "runs");
  const named = options.named ?? new Map();
  const agents = await discoverAgents({
    named,
    only: null,
    hasScripted: true,
    mend: mendOf({}),
    host: {},
    wait: INSTANT_CLOCK.wait,
  });
  const key = createLicenseKey(options.key ?? panel.key, options.keyFile ?? null);
  const slots = options.slots ?? 1;
  const greeting: Handshake = {
    name: "box",
    version: "0",
    slots,
    isolation: "worktree",
    os: "test",
    agents: agents.all.map((available) => ({ ...available, models: [...available.models] })),
    workerId: "wrk_1",
    process: "p1",
    embedded: false,
    canCheck: true,
  };
  const tools: WorkerTools = {
    panel: panel.url,
    createSandbox: createWorktrees("worktree", NO_MODELS),
    mirrors: createMirrors(join(folder, "mirrors"), INSTANT_CLOCK),
    baselines: createBaselines(join(folder, "baselines"), {}),
    dependencies: options.dependencies ?? null,
    isolation: "worktree",
    hostEnvironment: { PATH: process.env["PATH"] },
    secrets: key.secrets,
    clock: INSTANT_CLOCK,
    now: () => new Date(),
    log(text) {
      log.push(text);
      options.onLog?.(text);
    },
  };
  const worker = startWorker({
    connect: (status, onEvent) =>
      keepConnected({
        panel: panel.url,
        proxy: null,
        key: key.value,
        greeting,
        status,
        folder: "/",
        clock: INSTANT_CLOCK,
        onEvent,
      }),
    key,
    slots,
    agents,
    isolation: "worktree",
    runs,
    left: await findLeftRuns(runs),
    isOnce: options.isOnce ?? false,
    diskFree: async () => 10_000,
    onNamed: () => {},
    tools,
    work: (assign, selection) => options.work ?? workOn(assign, selection, tools),
  });
  return { ...worker, log, runs, [Symbol.asyncDispose]: () => worker.stop() };
}
