/** A server process under test: its address and its CPU time. */
import { fork } from "node:child_process";
import { once } from "node:events";

export interface MeasuredProcess extends AsyncDisposable {
  readonly url: string;
  /** CPU time of all threads so far, in milliseconds. */
  cpuMs(): Promise<number>;
}

export interface ProcessOptions {
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Folder for a CPU profile, written at exit. */
  readonly profile?: string | undefined;
}

/**
 * `module` sends its address in its first message, answers "cpu" with `process.cpuUsage()`, and exits on disconnect.
 */
export async function startMeasured(module: URL, options: ProcessOptions): Promise<MeasuredProcess> {
  const { args = [], environment, profile } = options;
  // The process logs one line per request, as in production, but the lines are discarded.
  const child = fork(module, args, {
    env: { PATH: process.env["PATH"], ...environment },
    execArgv: profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const [message]: unknown[] = await Promise.race([once(child, "message"), ended]);
  if (typeof message !== "string") throw new Error(`${module.pathname} ended before it listened: ${String(message)}`);
  return {
    url: message,
    async cpuMs() {
      const reply = once(child, "message");
      child.send("cpu");
      const [used]: unknown[] = await reply;
      // The child sends the result of `process.cpuUsage`.
      const { user, system } = used as NodeJS.CpuUsage;
      return (user + system) / 1000;
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}
