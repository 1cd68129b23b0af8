/**
 * Supervises the embedded worker, a child process, with backoff. Its key is passed in the environment, because any user can read arguments.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { systemTimers, wait as waitOn } from "../timers.ts";

export interface EmbeddedWorker {
  /** Program and leading arguments of `triptych worker`. */
  readonly program: readonly string[];
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly currentKey: () => Promise<string>;
  readonly say: (line: string) => void;
  readonly onError: (what: string, error?: unknown) => void;
  readonly now?: () => number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const FIRST_WAIT_MS = 1_000;
const RESTART_DELAY_MAX_MS = 30_000;
/** Uptime after which a child counts as healthy and the backoff resets. */
const HEALTHY_UPTIME_MS = 60_000;
/** The worker drains for 10 s; after this it is killed. */
const STOP_MS = 12_000;
/** The panel refused the worker (3), or the protocol versions differ (2): a restart would fail in the same way. */
const FINAL_CODES: ReadonlySet<number | null> = new Set([2, 3]);

export function superviseWorker(worker: EmbeddedWorker): AsyncDisposable {
  const { onError, now = () => performance.now(), wait = (ms, signal) => waitOn(systemTimers, ms, signal) } = worker;
  const stopping = new AbortController();
  const { signal } = stopping;
  let child: ChildProcess | null = null;

  async function live(): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted) {
      const startedAt = now();
      const code = await runOnce().catch((error: unknown) => {
        onError("embedded worker failed to start", error);
        return null;
      });
      if (signal.aborted) return;
      if (FINAL_CODES.has(code)) return onError(`embedded worker exited with ${code}; not restarting`);
      if (now() - startedAt >= HEALTHY_UPTIME_MS) waitMs = FIRST_WAIT_MS;
      onError(`embedded worker exited with ${code ?? "a signal"}; restarting`);
      await wait(waitMs, signal);
      waitMs = Math.min(2 * waitMs, RESTART_DELAY_MAX_MS);
    }
  }

  async function runOnce(): Promise<number | null> {
    const environment = childEnvironment(worker.environment, await worker.currentKey());
    const [command = "", ...first] = worker.program;
    if (signal.aborted) return null;
    // A separate process group: the panel forwards the terminal's signals itself.
    child = spawn(command, [...first, ...worker.args], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const output of [child.stdout, child.stderr]) if (output !== null) listen(output, worker.say);
    const [code] = await once(child, "close");
    child = null;
    return typeof code === "number" ? code : null;
  }

  const living = live();
  let stopped: Promise<void> | null = null;
  async function stop(): Promise<void> {
    stopping.abort();
    child?.kill("SIGTERM");
    const cut = setTimeout(() => child?.kill("SIGKILL"), STOP_MS);
    await living;
    clearTimeout(cut);
  }
  return { [Symbol.asyncDispose]: () => (stopped ??= stop()) };
}

function listen(output: Readable, say: (line: string) => void): void {
  createInterface({ input: output }).on("line", (line) => say(line));
}

export function messageOf(line: string): string {
  const message = line.startsWith("{") ? messageIn(line) : null;
  return typeof message === "string" ? message : line;
}

function messageIn(line: string): unknown {
  try {
    return (JSON.parse(line) as { readonly message?: unknown }).message;
  } catch {
    return null;
  }
}

const SERVICE_VARIABLE = /^(?:DATABASE_URL|TRIPTYCH_|PANEL_|DIRECTORY_|RAIL_|ROUTER_|GATEWAY_)/;

/** Passes everything that agents may need and drops the services' own variables. */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  key: string,
): Record<string, string> {
  const allowed = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || SERVICE_VARIABLE.test(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(allowed), PANEL_TOKEN: key };
}
