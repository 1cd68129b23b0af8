/** Starts the load process, which returns its results for an interval. */
import { fork } from "node:child_process";
import { once } from "node:events";
import type { Load, LoadResult } from "./load-process.ts";

export function startLoad() {
  const child = fork(new URL("./load-process.ts", import.meta.url));
  const ended = once(child, "exit");
  return {
    async run(load: Load): Promise<LoadResult> {
      const reply = once(child, "message");
      child.send(load);
      const [loaded]: unknown[] = await Promise.race([reply, ended]);
      if (child.exitCode !== null) throw new Error("the load process has exited; see its output above");
      // The child process sends nothing else.
      const { refused, latencies, ...more } = loaded as LoadResult;
      if (latencies.length === 0) throw new Error(`all ${refused} requests to ${load.url} failed`);
      return { refused, latencies, ...more };
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}
