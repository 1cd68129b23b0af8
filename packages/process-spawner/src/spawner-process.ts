/**
 * The process that forks. It ignores the signals that end its caller, so that running programs can finish, and exits
 * after the caller.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { killGroup } from "./programs.ts";
import { spawnFailed, type SpawnerMessage, type CutReason, type Ended, type SpawnRequest } from "./spawn-protocol.ts";

const STDERR_CHARACTERS_MAX = 4096;
const running = new Set<ChildProcess>();
const stops = new Map<number, () => void>();

process.on("message", (message) => {
  const command = message as SpawnerMessage;
  const { id } = command;
  if ("stop" in command) {
    stops.get(id)?.();
    return;
  }
  void run(id, command.request)
    .catch((error: unknown) => spawnFailed(String(error)))
    // The caller may have exited by then.
    .then((ended) => process.send?.({ id, ended }, () => {}))
    .finally(() => stops.delete(id));
});
process.once("disconnect", () => {
  for (const child of running) killGroup(child);
  process.exit();
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

async function run(id: number, request: SpawnRequest): Promise<Ended> {
  const { program, args, folder, environment, input, timeoutMs, outputBytes } = request;
  const child = spawn(program, args, {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.add(child);
  return await new Promise((resolve) => {
    const printed: Buffer[] = [];
    let [bytes, stderr] = [0, ""];
    let cut: CutReason | null = null;
    const stop = (why: CutReason) => {
      cut ??= why;
      killGroup(child);
      // A process that left the group may keep the pipes open forever.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    stops.set(id, () => stop("stopped"));
    const clock = setTimeout(() => stop("time"), timeoutMs);
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > outputBytes) stop("output");
      else printed.push(chunk);
    });
    child.stderr.on(
      "data",
      (chunk: Buffer) => void (stderr = (stderr + chunk.toString("utf8")).slice(-STDERR_CHARACTERS_MAX)),
    );
    // A program may close its input without reading it.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const isOver = () => {
      clearTimeout(clock);
      running.delete(child);
    };
    child.once("error", (error) => {
      isOver();
      resolve(spawnFailed(error.message));
    });
    child.once("close", (code, signal) => {
      isOver();
      const end = { printed: Buffer.concat(printed), stderr };
      if (cut !== null) resolve({ ...end, how: "cut", why: cut });
      else if (code !== null) resolve({ ...end, how: "exited", code });
      else resolve({ ...end, how: "killed", signal: String(signal) });
    });
  });
}
