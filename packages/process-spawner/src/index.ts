/**
 * Starts short programs from a small separate process (a fork server), because forking blocks the event loop for 0.1 ms
 * per megabyte: 30 ms in a 300 MB service. The fork server inherits no environment and exits with its caller.
 */
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { spawnFailed, type Ended, type SpawnRequest, type Result } from "./spawn-protocol.ts";

export { killGroup, limitFileSize } from "./programs.ts";
export type { Ended, SpawnRequest } from "./spawn-protocol.ts";

interface Server {
  readonly process: ChildProcess;
  readonly waiting: Map<number, (ended: Ended) => void>;
}

const HOST = fileURLToPath(new URL("spawner-process.ts", import.meta.url));
let server: Server | null = null;
let lastId = 0;

/**
 * Runs the program in its own process group until it exits or the signal stops it. Never rejects; failures are in the
 * result.
 */
export function runProgram(request: SpawnRequest, signal?: AbortSignal): Promise<Ended> {
  const { process, waiting } = (server ??= startServer());
  const id = ++lastId;
  const stop = () => void process.send({ id, stop: true }, () => {});
  return new Promise((resolve) => {
    waiting.set(id, (ended) => {
      signal?.removeEventListener("abort", stop);
      resolve(ended);
    });
    holdOpen(process, true);
    process.send({ id, request }, (error) => {
      if (error !== null) answer({ process, waiting }, { id, ended: spawnFailed(error.message) });
    });
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

function startServer(): Server {
  const process = fork(HOST, {
    // The caller's flags and environment are not inherited, because they can contain secrets.
    execArgv: ["--single-threaded"],
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // Ctrl-C in a terminal must reach only the caller, which may wait for its programs.
    detached: true,
  });
  const mine: Server = { process, waiting: new Map() };
  process.on("message", (result) => answer(mine, result as Result));
  const end = (why: string) => {
    if (server === mine) server = null;
    for (const id of mine.waiting.keys()) answer(mine, { id, ended: spawnFailed(why) });
  };
  process.once("error", (error) => end(error.message));
  process.once("exit", () => end("the fork server has exited"));
  return mine;
}

function answer({ process, waiting }: Server, { id, ended }: Result): void {
  waiting.get(id)?.(ended);
  waiting.delete(id);
  if (waiting.size === 0) holdOpen(process, false);
}

function holdOpen(process: ChildProcess, isBusy: boolean): void {
  const how = isBusy ? "ref" : "unref";
  process[how]();
  process.channel?.[how]();
}
