/**
 * Short programs, started by a small process of ours that does nothing else (a fork server). To start a program, a process is forked, and
 * as long as its page tables are being copied its event loop stands still: on a virtual machine 0.1 ms a megabyte. A service of 300 MB
 * would wait 30 ms for each `git`; this waits for none. The server begins with the first program, holds nothing of its caller's
 * environment, and ends with its caller, however that ends, and all that it runs with it.
 */
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { spawnFailed, type Ended, type SpawnRequest, type Result } from "./spawn-protocol.ts";

export { killGroup } from "./kill-group.ts";
export type { Ended, SpawnRequest } from "./spawn-protocol.ts";

interface Server {
  readonly process: ChildProcess;
  readonly waiting: Map<number, (ended: Ended) => void>;
}

const HOST = fileURLToPath(new URL("spawner-process.ts", import.meta.url));
let server: Server | null = null;
let lastId = 0;

/**
 * Runs it to its end, in a process group of its own, or until the signal stops it. Never rejects: what can happen to a program is in the
 * answer.
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
    // Neither the flags nor the environment, with its secrets, of whoever calls.
    execArgv: ["--single-threaded"],
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // A terminal's Ctrl-C is for its caller, who may have programs to wait for.
    detached: true,
  });
  const mine: Server = { process, waiting: new Map() };
  process.on("message", (result) => answer(mine, result as Result));
  const end = (why: string) => {
    if (server === mine) server = null;
    for (const id of mine.waiting.keys()) answer(mine, { id, ended: spawnFailed(why) });
  };
  process.once("error", (error) => end(error.message));
  process.once("exit", () => end("the process that starts programs has ended"));
  return mine;
}

function answer({ process, waiting }: Server, { id, ended }: Result): void {
  waiting.get(id)?.(ended);
  waiting.delete(id);
  if (waiting.size === 0) holdOpen(process, false);
}

/** Whether this process may not end by itself. */
function holdOpen(process: ChildProcess, isBusy: boolean): void {
  const how = isBusy ? "ref" : "unref";
  process[how]();
  process.channel?.[how]();
}
