/** A process that a bench asks over HTTP: where it listens, and how much processor time it has used. */
import { fork } from "node:child_process";
import { once } from "node:events";

export interface MeasuredProcess extends AsyncDisposable {
  readonly url: string;
  /** Milliseconds of processor time so far, all threads. */
  cpuMs(): Promise<number>;
}

export interface ProcessOptions {
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Folder for a processor profile that is written when it stops. */
  readonly profile?: string | undefined;
}

/** `module` says its address in its first message, answers "cpu" with `process.cpuUsage()`, and ends when it is let go. */
export async function startMeasured(module: URL, options: ProcessOptions): Promise<MeasuredProcess> {
  const { args = [], environment, profile } = options;
  // It logs as it would, a line a request, to nowhere.
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
      // The other side sends what `process.cpuUsage` gives.
      const { user, system } = used as NodeJS.CpuUsage;
      return (user + system) / 1000;
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}
