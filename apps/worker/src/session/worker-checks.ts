/** Checks of repos: each runs once; its result is resent on every connection until acknowledged. */
import { join } from "node:path";
import type { WorkerTools } from "./do-run.ts";
import { doCheck, type CheckOutcome } from "./do-check.ts";
import { frameText } from "./frames.ts";
import type { CheckCommand } from "./wire.ts";

export interface WorkerChecks {
  /** Ids of checks that run, or whose result is not acknowledged. */
  readonly ids: readonly string[];
  readonly running: number;
  start(check: CheckCommand): void;
  acknowledged(checkId: string): void;
  /** On a new connection: resends unacknowledged results. */
  resend(): void;
  /** Ends them without a result: the panel reassigns them. */
  stop(): Promise<void>;
}

export interface WorkerChecksOptions {
  readonly runs: string;
  readonly tools: WorkerTools;
  readonly send: (text: string) => void;
  /** The state for hello and heartbeats has changed. */
  readonly onChange: () => void;
}

export function createWorkerChecks({ runs, tools, send, onChange }: WorkerChecksOptions): WorkerChecks {
  const running = new Map<string, Promise<void>>();
  const results = new Map<string, CheckOutcome>();
  const stopped = new AbortController();

  return {
    get ids() {
      return [...running.keys(), ...results.keys()];
    },
    get running() {
      return running.size;
    },
    start(check) {
      const id = check.check_id;
      if (stopped.signal.aborted || running.has(id) || results.has(id)) return;
      tools.log(`check ${id} started`);
      running.set(id, run(check));
      onChange();
    },
    acknowledged(checkId) {
      if (results.delete(checkId)) onChange();
    },
    resend() {
      for (const [id, outcome] of results) report(id, outcome);
    },
    async stop() {
      stopped.abort();
      await Promise.all(running.values());
    },
  };

  async function run(check: CheckCommand): Promise<void> {
    const id = check.check_id;
    const folder = { path: join(runs, encodeURIComponent(id)), signal: stopped.signal };
    const outcome = await doCheck(check, folder, tools).catch((error: unknown) => {
      tools.log(`check ${id}: internal worker error: ${String(error)}`);
      return null;
    });
    running.delete(id);
    if (outcome !== null) {
      results.set(id, outcome);
      report(id, outcome);
    }
    onChange();
  }

  function report(id: string, outcome: CheckOutcome): void {
    send(frameText({ t: "checked", check_id: id, ...outcome }));
  }
}
