/** Slots with standby processes, which have already loaded the program and wait for their configuration. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

export interface Worker {
  readonly url: string;
  /** `kill -9`. Resolves when the process is gone. */
  kill(): Promise<void>;
}

export interface Standby<Config> extends AsyncDisposable {
  /** Resolves when a process is waiting for its configuration. Does nothing if spare processes always wait. */
  prepare(): Promise<void>;
  begin(config: Config): Promise<Worker>;
}

export interface StandbyOptions {
  /** A program that waits for its configuration (`wait-for-order.ts`). */
  readonly program: URL;
  /** Number of processes that always wait. */
  readonly spares: number;
  /** Receives everything that the processes print. */
  readonly onOutput: (text: string) => void;
}

/** The compile cache that all campaign processes share; it is that of the product. */
const COMPILED = fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url));
const STARTS_WITHIN_MS = 120_000;
const OUTPUT_TAIL_CHARACTERS = 2000;

export function openStandby<Config>({ program, spares, onOutput }: StandbyOptions): Standby<Config> {
  const alive = new Set<ChildProcess>();
  const outputTails = new WeakMap<ChildProcess, string>();
  const waiting = Array.from({ length: spares }, hire);

  return {
    async prepare() {
      if (spares > 0) return;
      const child = hire();
      waiting.push(child);
      await child;
    },
    async begin(config) {
      if (waiting.length <= spares) waiting.push(hire());
      const child = await waiting.shift();
      if (child === undefined) throw new Error("no standby process is ready");
      const message = once(child, "message", { signal: AbortSignal.timeout(STARTS_WITHIN_MS) });
      child.stdin?.end(`${JSON.stringify(config)}\n`);
      const [url] = await Promise.race([message, failure(child)]);
      return { url: String(url), kill: () => kill(child) };
    },
    async [Symbol.asyncDispose]() {
      for (const spare of waiting) spare.catch(() => undefined);
      await Promise.all([...alive].map(kill));
    },
  };

  async function hire(): Promise<ChildProcess> {
    const onData = (text: string) => {
      outputTails.set(child, ((outputTails.get(child) ?? "") + text).slice(-OUTPUT_TAIL_CHARACTERS));
      onOutput(text);
    };
    const child = spawn(process.execPath, [fileURLToPath(program)], {
      env: { NODE_COMPILE_CACHE: COMPILED, NODE_OPTIONS: process.env["NODE_OPTIONS"] },
      stdio: ["pipe", "pipe", "pipe", "ipc"],
    });
    alive.add(child);
    child.once("exit", () => alive.delete(child));
    for (const output of [child.stdout, child.stderr]) output?.setEncoding("utf8").on("data", onData);
    // The process may be killed before it reads its configuration.
    child.stdin?.on("error", () => undefined);
    await Promise.race([once(child, "message"), failure(child)]);
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  async function failure(child: ChildProcess): Promise<never> {
    const [code, signal] = await once(child, "exit");
    const ended = `A process of ${basename(program.pathname)} exited with ${String(code ?? signal)} before it started`;
    throw new Error(`${ended}: ${outputTails.get(child) ?? "no output"}`);
  }
}
