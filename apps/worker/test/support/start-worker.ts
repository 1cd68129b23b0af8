/** A worker in this process: its line in this thread too, and no wait between two tries to connect. */
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createBaselines } from "../../src/baselines.ts";
import { offerAgents } from "../../src/agents/offers.ts";
import { keepConnected } from "../../src/channel/dial.ts";
import type { Pace } from "../../src/channel/pace.ts";
import { createLicenseKey } from "../../src/channel/license-key.ts";
import { findLeftRuns } from "../../src/channel/run-folder.ts";
import { startWorker, type Worker } from "../../src/channel/worker.ts";
import { createMirrors } from "../../src/git/clone.ts";
import type { PanelDouble } from "./panel-double.ts";

export interface TestWorker extends Worker, AsyncDisposable {
  readonly log: readonly string[];
}

export interface TestWorkerOptions {
  readonly slots?: number;
  readonly isOnce?: boolean;
  readonly key?: string;
  readonly keyFile?: string | null;
  readonly pace?: Partial<Pace>;
  readonly named?: ReadonlyMap<string, readonly string[]>;
}

export const AT_ONCE: Pace = {
  now: () => performance.now(),
  random: () => 0.5,
  wait: () => setImmediate(),
};

export async function startTestWorker(
  panel: PanelDouble,
  folder: string,
  options: TestWorkerOptions = {},
): Promise<TestWorker> {
  const pace = { ...AT_ONCE, ...options.pace };
  const log: string[] = [];
  const runs = join(folder, "runs");
  const offers = await offerAgents({
    named: options.named ?? new Map(),
    only: null,
    hasScripted: true,
    wait: pace.wait,
  });
  const key = createLicenseKey(options.key ?? panel.key, options.keyFile ?? null);
  const slots = options.slots ?? 1;
  const greeting = {
    name: "box",
    version: "0",
    slots,
    isolation: "worktree",
    os: "test",
    agents: [...offers.all].map((one) => ({ ...one, models: [...one.models] })),
    workerId: "wrk_1",
    process: "p1",
    embedded: false,
  } as const;
  const worker = startWorker({
    openLine: (standing, hear) =>
      keepConnected({ panel: panel.url, key: key.value, greeting, standing, folder, pace, hear }),
    key,
    slots,
    offers,
    isolation: "worktree",
    runs,
    left: await findLeftRuns(runs),
    isOnce: options.isOnce ?? false,
    diskFree: async () => 10_000,
    onNamed: () => {},
    place: {
      panel: panel.url,
      mirrors: createMirrors(join(folder, "mirrors")),
      baselines: createBaselines(join(folder, "baselines"), {}),
      isolation: "worktree",
      hostEnvironment: { PATH: process.env["PATH"] },
      secrets: key.secrets,
      pace,
      now: () => new Date(),
      log: (text) => void log.push(text),
    },
  });
  return { ...worker, log, [Symbol.asyncDispose]: () => worker.stop() };
}
