/** The CLI as a process that can be killed and restarted at any time. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const START = fileURLToPath(new URL("../../../start.mjs", import.meta.url));

export interface ProgramOptions {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Receives all output. */
  readonly onOutput: (text: string) => void;
}

/** One process, except between a kill and the restart. */
export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** Null while it runs. */
  readonly exitCode: number | null;
  /** Sends SIGKILL and restarts. Resolves when the new process runs, not when it is ready. */
  strike(): Promise<void>;
  /** Throws if it exited unexpectedly. */
  check(): void;
}

export function startProgram(options: ProgramOptions): Program {
  let child = begin(options);
  return {
    get pid() {
      return child.pid ?? 0;
    },
    get exitCode() {
      return child.exitCode;
    },
    async strike() {
      await kill(child, "SIGKILL");
      child = begin(options);
    },
    check() {
      if (child.exitCode !== null)
        throw new Error(`${options.args.join(" ")} exited unexpectedly with ${child.exitCode}`);
    },
    [Symbol.asyncDispose]: () => kill(child, "SIGTERM"),
  };
}

function begin({ args, environment, onOutput }: ProgramOptions): ChildProcess {
  const child = spawn(process.execPath, [START, ...args], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => onOutput(text.toString()));
  return child;
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
